//! Bodies made from the document at `/openapi.json`: a field that the server refuses when it is
//! empty is one that the document refuses, and a field that the document requires is one that the
//! server requires.

use serde_json::{Map, Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

/// Paths whose bodies are not tried.
const NOT_TRIED: [&str; 3] = ["/faye", "/faye/{step}", "/auth/account"];

/// A body, and its texts by their places: each with whether it is required.
#[derive(Clone)]
struct Sample {
    body: Value,
    texts: Vec<(String, bool)>,
}

/// Makes bodies from schemas.
struct Sampler<'a> {
    document: &'a Value,
    world: &'a Map<String, Value>,
}

impl Sampler<'_> {
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let Some(place) = schema["$ref"].as_str() else { return schema };
        self.resolved(self.document.pointer(place.trim_start_matches('#')).unwrap())
    }

    /// The shortest body of each form that the schema allows.
    fn samples(&self, name: &str, schema: &Value, is_required: bool) -> Vec<Sample> {
        let schema = self.resolved(schema);
        let plain = |body: Value| vec![Sample { body, texts: Vec::new() }];
        if let Some(only) = schema.get("const") {
            return plain(only.clone());
        }
        if let Some(some) = schema["enum"].as_array() {
            let texts = vec![(String::new(), is_required)];
            return vec![Sample { body: some[0].clone(), texts }];
        }
        let choices = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        if let (Some(choices), None) = (choices, schema.get("properties")) {
            let all = choices.iter().flat_map(|it| self.samples(name, it, is_required));
            return all.collect();
        }
        let kinds = schema["type"].as_array().map_or(&schema["type"], |all| &all[0]);
        match kinds.as_str().unwrap_or_default() {
            "string" => {
                let known = self.world.get(name).cloned().unwrap_or_else(|| json!("text"));
                vec![Sample { body: known, texts: vec![(String::new(), is_required)] }]
            }
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(1).max(1);
                // An item is not a field: some lists pass over empty ones.
                let items = self.samples(name, &schema["items"], false).into_iter();
                let several = |it: Sample| Sample {
                    body: (0..least).map(|_| it.body.clone()).collect(),
                    texts: below("0", it.texts),
                };
                items.map(several).collect()
            }
            "object" => self.objects(schema),
            "boolean" => plain(json!(true)),
            "null" => Vec::new(),
            _ => plain(self.world.get(name).cloned().unwrap_or_else(|| schema["minimum"].clone())),
        }
    }

    fn objects(&self, schema: &Value) -> Vec<Sample> {
        let empty = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&empty);
        let mut needed: Vec<&str> = required(schema);
        needed.extend(required(&schema["anyOf"][0]));
        let shortest = |name: &str| self.samples(name, &fields[name], true).remove(0).body;
        let base: Map<String, Value> =
            needed.iter().map(|name| ((*name).to_owned(), shortest(name))).collect();
        let mut all = vec![Sample { body: Value::Object(base.clone()), texts: Vec::new() }];
        for (name, of) in fields {
            for sample in self.samples(name, of, needed.contains(&name.as_str())) {
                let mut whole = base.clone();
                whole.insert(name.clone(), sample.body);
                all.push(Sample { body: whole.into(), texts: below(name, sample.texts) });
            }
        }
        all
    }
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().map(text).collect()
}

fn below(name: &str, texts: Vec<(String, bool)>) -> Vec<(String, bool)> {
    texts.into_iter().map(|(place, is)| (format!("/{name}{place}"), is)).collect()
}

/// Values for variables of paths and for fields by their names.
async fn world_of(ana: &Person, ben: &Person, group: &Group) -> Map<String, Value> {
    let message = text(&ana.says(group, "rope at six").await["id"]).to_owned();
    let bot = json!({"bot": {"name": "Belay", "group_id": group.id}});
    let bot = ana.posts("/v3/bots").json(&bot).await.created()["bot_id"].clone();
    let end = 1_800_086_400_u64;
    let options = json!([{"title": "six"}, {"title": "seven"}]);
    let poll = json!({"subject": "When?", "options": options, "expiration": end});
    let poll = ana.posts(&format!("/v3/poll/{}", group.id)).json(&poll).await.created();
    let (start_at, end_at) = ("2100-01-01T18:00:00Z", "2100-01-01T21:00:00Z");
    let event = json!({"name": "Climb", "start_at": start_at, "end_at": end_at});
    let plan = format!("/v3/conversations/{}/events/create", group.id);
    let event = ana.posts(&plan).json(&event).await.created();
    let values = json!({
        "id": group.id, "conversation": group.id, "conversation_id": group.id,
        "group_id": group.id, "message": message, "message_id": message,
        "last_read_message_id": message, "reply_id": message, "base_reply_id": message,
        "bot": bot, "bot_id": bot, "user": ana.id, "user_id": ben.id, "owner_id": ben.id,
        "recipient_id": ben.id, "otherUser": ben.id, "chat_id": format!("{}+{}", ana.id, ben.id),
        "poll": poll["poll"]["data"]["id"], "votes": "1", "expiration": end,
        "event_id": event["event"]["event_id"], "start_at": start_at, "end_at": end_at,
        "from_id": "1", "to_id": "2", "delivery": "1", "email": "new@example.org",
        "password": "a long password", "new_password": "another password",
        "pinned_conversation_ids": group.id, "conversation_ids": group.id, "callback_url": "https://example.org/back",
        "lat": "1.5", "lng": "2.5", "loci": 1, "charmap": 1, "source_guid": "guid-of-a-body",
        "name": "rope", "code": "🧗", "phone_number": "+491701234567",
    });
    values.as_object().unwrap().clone()
}

#[tokio::test]
async fn documented_bodies_are_as_strict_as_the_server() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let values = world_of(&ana, &ben, &climbers).await;
    let document = coterie::http::openapi::document();
    let sampler = Sampler { document: &document, world: &values };
    let (mut refused, mut wrong) = (0, Vec::new());
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let json = &operation["requestBody"]["content"]["application/json"]["schema"];
            if json.is_null() || NOT_TRIED.contains(&path.as_str()) {
                continue;
            }
            let place = place(path, operation, &values);
            let whole = json!({"allOf": [json], "components": document["components"]});
            let schema = jsonschema::draft202012::new(&whole).unwrap();
            for Sample { body, texts } in sampler.samples("", json, true) {
                for (at, is_required) in texts {
                    let mut body = body.clone();
                    *body.pointer_mut(&at).unwrap() = json!("");
                    let asked = ana.asks(&method.to_uppercase(), &place).json(&body).await;
                    let field = at.rsplit('/').find(|it| it.parse::<usize>().is_err()).unwrap();
                    let is_named = asked.text.contains(field);
                    let is_refused = asked.status == 400 && is_named;
                    refused += usize::from(is_refused);
                    if is_refused && schema.is_valid(&body) {
                        wrong.push(format!("{method} {path} refuses {body}: {}", asked.text));
                    }
                    let is_done = (200..300).contains(&asked.status);
                    if is_done && is_required && !schema.is_valid(&body) {
                        wrong.push(format!("{method} {path} accepts {body}"));
                    }
                }
                for field in body.as_object().unwrap().keys() {
                    let mut without = body.clone();
                    without.as_object_mut().unwrap().remove(field);
                    let asked = ana.asks(&method.to_uppercase(), &place).json(&without).await;
                    let is_refused = asked.status == 400 && asked.text.contains(field.as_str());
                    let is_done = (200..300).contains(&asked.status);
                    if (is_refused || is_done) && is_refused == schema.is_valid(&without) {
                        wrong.push(format!("{method} {path} without {field}: {}", asked.status));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
    assert!(refused > 60, "{refused}");
}

/// The path and the required query of an operation, with values.
fn place(path: &str, operation: &Value, values: &Map<String, Value>) -> String {
    let value = |name: &str| values.get(name).map_or("1", text);
    let parts = path.split('/').map(|part| {
        let name = part.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        name.map_or(part, value)
    });
    let mut place = parts.collect::<Vec<_>>().join("/");
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "query" && parameter["required"] == true {
            let name = text(&parameter["name"]);
            let sign = if place.contains('?') { '&' } else { '?' };
            place.push_str(&format!("{sign}{name}={}", value(name)));
        }
    }
    place
}
