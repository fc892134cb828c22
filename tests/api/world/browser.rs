//! A browser without scripts: it keeps cookies, follows no redirect by itself, and sends the form
//! of the page that it shows.

use std::collections::BTreeMap;

use crate::world::Address;
use crate::world::answer::Answer;
use crate::world::documented;

/// Names and values filled in by the user.
pub(crate) type Fields<'a> = &'a [(&'a str, &'a str)];

/// One browser window with its cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    client: reqwest::Client,
    address: Address,
    /// Cookies by name.
    pub(crate) cookies: BTreeMap<String, String>,
    /// The path to which the page's form is sent, and its hidden fields; `None` without a form.
    form: Option<(String, Vec<(String, String)>)>,
    /// The HTML of the page that is shown.
    pub(crate) page: String,
}

impl Browser {
    /// Opens a browser without cookies.
    pub(crate) fn new(address: &Address) -> Self {
        let none = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
        let (cookies, form, page) = (BTreeMap::new(), None, String::new());
        Self { client, address: address.clone(), cookies, form, page }
    }

    /// Opens a path of the server.
    pub(crate) async fn opens(&mut self, path: &str) -> Answer {
        let request = self.client.get(self.address.url(path));
        self.sends("GET", path, request).await
    }

    /// Sends the form of the page that is shown, with these fields filled in.
    pub(crate) async fn submits(&mut self, fields: Fields<'_>) -> Answer {
        let (path, hidden) = self.form.clone().expect("the page has a form");
        let hidden = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let all: Vec<(&str, &str)> = hidden.chain(fields.iter().copied()).collect();
        self.posts(&path, &all).await
    }

    /// Sends a form with these fields, whether or not the page that is shown has it.
    pub(crate) async fn posts(&mut self, path: &str, fields: Fields<'_>) -> Answer {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self
            .client
            .post(self.address.url(path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(body);
        self.sends("POST", path, request).await
    }

    /// Follows a redirect, which must lead to the authorize page again.
    pub(crate) async fn follows(&mut self, answer: &Answer) -> Answer {
        let location = answer.header("location").expect("it leads somewhere");
        assert!(location.starts_with('?'), "not on this page: {location}");
        self.opens(&format!("/oauth/authorize{location}")).await
    }

    async fn sends(
        &mut self,
        method: &str,
        path: &str,
        request: reqwest::RequestBuilder,
    ) -> Answer {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = request.header("Cookie", cookies.join("; "));
        let answer = Answer::read(request.send().await.unwrap()).await;
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        documented::hold(method, path, &answer);
        for set in answer.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        self.page = answer.text.clone();
        self.form = form_of(path, &answer.text);
        answer
    }
}

/// The form of a page: the path to which it is sent, and its hidden fields.
fn form_of(path: &str, page: &str) -> Option<(String, Vec<(String, String)>)> {
    let form = page.split_once("<form")?.1.split_once("</form>")?.0;
    let action = attribute(form, "action").unwrap();
    assert!(action.starts_with('?'), "the form comes back to its page: {action}");
    let hidden = form.split("<input").filter(|input| input.contains("type=\"hidden\""));
    let field = |input: &str| Some((attribute(input, "name")?, attribute(input, "value")?));
    Some((format!("{path}{action}"), hidden.filter_map(field).collect()))
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    Some(plain.iter().fold(value.to_owned(), |text, (entity, sign)| text.replace(entity, sign)))
}
