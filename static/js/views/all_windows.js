/** All windows that `windows.js` opens, in one module. */

import { openAddMember } from "./add_member.js";
import { openAppeal } from "./appeal_form.js";
import { openConversationMenu } from "./conversation_menu.js";
import { openEmojiPicker } from "./emoji_picker.js";
import { openEventForm } from "./event_form.js";
import { openFolders } from "./folders.js";
import { openFormerGroups } from "./former_groups.js";
import { openForward } from "./forward.js";
import { openGroupFinder } from "./group_finder.js";
import { openJoinQuestion } from "./join_question.js";
import { openLightbox } from "./lightbox.js";
import { openEdit } from "./message_changes.js";
import { openMessageDetails } from "./message_details.js";
import { openMessageLink } from "./message_link.js";
import { openMessageMenu } from "./message_menu.js";
import { openMessageSelection } from "./message_selection.js";
import { openNewGroup } from "./new_group.js";
import { openNewMessage } from "./new_message.js";
import { openPalette } from "./palette.js";
import { openPdf } from "./pdf_window.js";
import { openPerson } from "./person.js";
import { openPictureDialog } from "./picture_dialog.js";
import { openPictureEditor } from "./picture_editor.js";
import { openGroupReport, openMessageReport, openPersonReport } from "./report_form.js";
import { openShare } from "./share_dialog.js";
import { openShortcuts } from "./shortcuts.js";
import { openToolsMenu } from "./tools_menu.js";

export const windows = {
  openAddMember,
  openAppeal,
  openConversationMenu,
  openEdit,
  openEmojiPicker,
  openEventForm,
  openFolders,
  openFormerGroups,
  openForward,
  openGroupFinder,
  openJoinQuestion,
  openLightbox,
  openMessageDetails,
  openMessageLink,
  openMessageMenu,
  openMessageSelection,
  openNewGroup,
  openNewMessage,
  openPalette,
  openPdf,
  openPerson,
  openPictureDialog,
  openPictureEditor,
  openMessageReport,
  openPersonReport,
  openGroupReport,
  openShare,
  openShortcuts,
  openToolsMenu,
};
