//! Random acts with what messages carry beside text, and with messages before they are sent:
//! drafts, files, and links that get previews.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::acting::Stage;
use crate::caller::text;
use crate::waiting::until_some;

impl Stage {
    /// Writes a draft in a conversation, or clears it.
    pub(crate) async fn drafts(&self, who: usize, random: &mut Rng) {
        let conv = match self.message(random).filter(|_| random.bool()) {
            Some((conversation, _)) => conversation,
            None => self.group(random),
        };
        let place = json!({"type": "location", "name": "Wall", "lat": "1", "lng": "2"});
        let draft = match random.u8(..4) {
            0 => json!({}),
            1 => json!({"attachments": [place]}),
            2 => json!({"text": format!("draft {}", self.acts), "attachments": [place]}),
            _ => json!({"text": format!("draft {}", self.acts)}),
        };
        let path = format!("/v3/drafts/{conv}");
        let (status, kept) = self.people[who].puts(&path, &draft).await.expect("it answers");
        assert!(status < 500, "{path} {draft}: {status} {kept}");
    }

    /// Uploads a file and posts it into a group.
    pub(crate) async fn sends_files(&mut self, who: usize, random: &mut Rng) {
        let group = self.group(random);
        let bytes: Vec<u8> = (0..random.usize(1..5000)).map(|_| random.u8(..)).collect();
        let path = format!("/v3/conversations/{group}/files?name=rope{}.bin", self.acts);
        let sent = self.people[who].posts_bytes(&path, bytes.clone()).await;
        let (status, sent) = sent.expect("it answers");
        assert!(status < 500, "{path}: {status} {sent}");
        if status != 201 {
            return;
        }
        let file = json!({"type": "file", "file_id": sent["file"]["file_id"]});
        assert_eq!(sent["file"]["size"], bytes.len(), "{sent}");
        self.posts(who, group, json!({"attachments": [file]})).await;
    }

    /// Posts a link to a page, and waits until its preview is shown.
    pub(crate) async fn links(&mut self, who: usize, random: &mut Rng) {
        let (group, page) = (self.group(random), format!("/page{}", self.acts % 7));
        let link = self.site.link(&page);
        let said = self.posts(who, group.clone(), json!({"text": format!("see {link}")})).await;
        let Some(said) = said else { return };
        let path = format!("/v3/groups/{group}/messages/{}", text(&said["id"]));
        // The preview comes without an act, so it must come before the next act: then every reader
        // gets it in the same place.
        let person = &self.people[who];
        let shown = until_some("the preview of a link is shown", async || {
            let message = person.sees(&path).await["message"].take();
            message["link_previews"].is_array().then_some(message)
        });
        let shown = shown.await;
        assert_eq!(shown["link_previews"][0]["title"], page.as_str(), "{shown}");
    }

    async fn posts(&mut self, who: usize, group: String, mut message: Value) -> Option<Value> {
        message["source_guid"] = json!(format!("c{}", self.acts));
        let path = format!("/v3/groups/{group}/messages");
        let said = self.does(who, &path, json!({"message": message})).await?["message"].take();
        self.messages.push((group, text(&said["id"]).to_owned()));
        Some(said)
    }
}
