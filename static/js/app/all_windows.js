/** All windows that `windows.js` opens, in one module. */

import { openEventForm } from "../calendar/event_form.js";
import { openNewMessage } from "../chats/new_message.js";
import { openToolsMenu } from "../conversation/tools_menu.js";
import { openConversationMenu } from "../conversation_list/conversation_menu.js";
import { openFolders } from "../conversation_list/folders.js";
import { openPdf } from "../files/pdf_window.js";
import { openFormerGroups } from "../groups/former_groups.js";
import { openGroupFinder } from "../groups/group_finder.js";
import { openNewGroup } from "../groups/new_group.js";
import { openShare } from "../invites/share_dialog.js";
import { openAddMember } from "../members/add_member.js";
import { openJoinQuestion } from "../members/join_question.js";
import { openForward } from "../messages/forward.js";
import { openEdit } from "../messages/message_changes.js";
import { openMessageDetails } from "../messages/message_details.js";
import { openMessageLink } from "../messages/message_link.js";
import { openMessageMenu } from "../messages/message_menu.js";
import { openMessageSelection } from "../messages/message_selection.js";
import { openAppeal } from "../moderation/appeal_form.js";
import { openGroupReport, openMessageReport, openPersonReport } from "../moderation/report_form.js";
import { openPerson } from "../people/person.js";
import { openLightbox } from "../pictures/lightbox.js";
import { openPictureDialog } from "../pictures/picture_dialog.js";
import { openPictureEditor } from "../pictures/picture_editor.js";
import { openEmojiPicker } from "../reactions/emoji_picker.js";
import { openPalette } from "../search/palette.js";
import { openShortcuts } from "./shortcuts.js";

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
