// A message of the shape and size that Coterie sends for one in a group.
let id = 0;

export function message(room, { source_guid, text }) {
  const now = Math.floor(Date.now() / 1000);
  id += 1;
  return {
    id: `17000000000${String(id).padStart(7, "0")}`, source_guid, created_at: now,
    user_id: "10000001", group_id: room, name: "Load 1", avatar_url: null, text, system: false,
    favorited_by: [], attachments: [], sender_id: "10000001", sender_type: "user", platform: "gm",
    updated_at: now,
  };
}
