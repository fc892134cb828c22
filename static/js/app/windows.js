/**
 * Opens the windows over the page. None is needed to read and write, so the code of all is loaded together
 * when the first one is opened.
 */

import { arrived } from "./loading.js";

/** @typedef {typeof import("./all_windows.js").windows} Windows */

/** The windows that are being loaded, so that none is opened twice. @type {Set<string>} */
const coming = new Set();

/**
 * @template {keyof Windows} Name
 * @param {Name} name
 * @returns {(...what: Parameters<Windows[Name]>) => Promise<void>}
 */
const opens =
  (name) =>
  async (...what) => {
    if (coming.has(name)) return;
    coming.add(name);
    const all = await arrived(() => import("./all_windows.js"));
    coming.delete(name);
    const open = /** @type {undefined | ((...what: any[]) => unknown)} */ (all?.windows[name]);
    open?.(...what);
  };

export const openAddMember = opens("openAddMember");
export const openAppeal = opens("openAppeal");
export const openConversationMenu = opens("openConversationMenu");
export const openEdit = opens("openEdit");
export const openEmojiPicker = opens("openEmojiPicker");
export const openEventForm = opens("openEventForm");
export const openFolders = opens("openFolders");
export const openFormerGroups = opens("openFormerGroups");
export const openForward = opens("openForward");
export const openGroupFinder = opens("openGroupFinder");
export const openJoinQuestion = opens("openJoinQuestion");
export const openLightbox = opens("openLightbox");
export const openMessageDetails = opens("openMessageDetails");
export const openGroupReport = opens("openGroupReport");
export const openMessageLink = opens("openMessageLink");
export const openMessageMenu = opens("openMessageMenu");
export const openMessageReport = opens("openMessageReport");
export const openMessageSelection = opens("openMessageSelection");
export const openNewGroup = opens("openNewGroup");
export const openNewMessage = opens("openNewMessage");
export const openPalette = opens("openPalette");
export const openPdf = opens("openPdf");
export const openPerson = opens("openPerson");
export const openPersonReport = opens("openPersonReport");
export const openPictureDialog = opens("openPictureDialog");
export const openPictureEditor = opens("openPictureEditor");
export const openShare = opens("openShare");
export const openShortcuts = opens("openShortcuts");
export const openToolsMenu = opens("openToolsMenu");
