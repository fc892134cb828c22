/** The Spanish catalogue of saved messages. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_SAVED = {
  "Save message": "Guardar mensaje",
  "Save messages": "Guardar mensajes",
  "Remove from saved": "Quitar de guardados",
  Saved: "Guardado",
  "Saved messages": "Mensajes guardados",
  "Saved messages · Coterie": "Mensajes guardados · Coterie",
  "No saved messages.": "No hay mensajes guardados.",
  "To save a message, open its menu and choose Save message. Only you can see your saved messages.":
    "Para guardar un mensaje, abre su menú y elige «Guardar mensaje». Solo tú ves tus mensajes guardados.",
  "This message is no longer there.": "Este mensaje ya no existe.",
};
