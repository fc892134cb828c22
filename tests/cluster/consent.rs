//! Authorizing an OAuth application, with each request sent to another node than the one before.

use serde_json::{Value, json};

use crate::asking::Person;
use crate::installation::Installation;

// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A browser that a proxy sends to the nodes in turn.
struct Browser<'all> {
    all: &'all Installation,
    client: reqwest::Client,
    turn: usize,
    path: String,
    cookie: String,
    page: String,
}

impl Browser<'_> {
    async fn sends(&mut self, form: Option<&str>) -> String {
        self.turn += 1;
        let url = format!("{}{}", self.all.url(self.turn % 2), self.path);
        let request = match form {
            None => self.client.get(url),
            Some(form) => {
                let (_, seal) = self.page.split_once("name=\"seal\" value=\"").unwrap();
                let seal = seal.split('"').next().unwrap();
                let kind = "application/x-www-form-urlencoded";
                let body = format!("seal={seal}&{form}");
                self.client.post(url).header("Content-Type", kind).body(body)
            }
        };
        let answer = request.header("Cookie", &self.cookie).send().await.unwrap();
        assert!(answer.status().as_u16() < 400, "{}", answer.text().await.unwrap());
        let header =
            |name: &str| answer.headers().get(name).map(|it| it.to_str().unwrap().to_owned());
        if let Some(cookie) = header("Set-Cookie") {
            self.cookie = cookie.split(';').next().unwrap().to_owned();
        }
        let leads = header("Location").unwrap_or_default();
        self.page = answer.text().await.unwrap();
        leads
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_works_across_nodes_and_codes_once() {
    let all = Installation::starts(1, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let made = json!({"name": "Ropes", "callback_url": "https://ropes.example/back"});
    let (status, made) = ana.posts("/oauth/applications", &made).await.unwrap();
    assert_eq!(status, 201, "{made}");
    let id = made["client_id"].as_str().unwrap();
    let none = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
    let path = format!(
        "/oauth/authorize?response_type=code&client_id={id}&code_challenge={CHALLENGE}\
         &code_challenge_method=S256"
    );
    let (cookie, page) = (String::new(), String::new());
    let mut browser = Browser { all: &all, client: client.clone(), turn: 0, path, cookie, page };
    browser.sends(None).await;
    browser.sends(Some("act=log-in&email=ana%40example.org&password=correct+horse")).await;
    browser.sends(None).await;
    assert!(browser.page.contains("Allow Ropes?"), "{}", browser.page);
    let leads = browser.sends(Some("act=allow")).await;
    let code = leads.split_once("?code=").unwrap().1.split('&').next().unwrap();
    let spends = async |node: usize| -> (u16, Value) {
        let claim = json!({"grant_type": "authorization_code", "client_id": id, "code": code,
            "code_verifier": VERIFIER});
        let asked = client.post(format!("{}/oauth/token", all.url(node))).json(&claim);
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    };
    let (status, given) = spends(1).await;
    assert_eq!(status, 200, "{given}");
    let token = given["access_token"].as_str().unwrap().to_owned();
    let mut guest = ana.clone();
    guest.token = token;
    for node in [0, 1] {
        assert_eq!(all.at(node, &guest).gets("/v3/users/me").await.0, 200);
    }
    // A code that is spent twice has been stolen: the second attempt fails, and the token that the
    // first one returned is revoked.
    let (status, told) = spends(0).await;
    assert_eq!((status, &told["error"]), (400, &json!("invalid_grant")));
    for node in [0, 1] {
        assert_eq!(all.at(node, &guest).gets("/v3/users/me").await.0, 401);
    }
    assert_eq!(spends(1).await.0, 400);
}
