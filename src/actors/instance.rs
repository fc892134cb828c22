//! The room of the installation, one for all nodes: decides its settings, the groups of directories,
//! the reports to its operators, their rules and their invitations.

use std::convert::Infallible;
use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{Answers, Ask, Fault, Posted, Question};
use crate::ledger::{Ledger, Recording, Room};
use crate::room_context::RoomContext;
use base::bounds::turns::Owner;
use domain::audience::Audience;
use domain::directory_groups::DirectoryGroupSet;
use domain::directory_groups::changes::{
    ChangedDirectoryGroup, DirectoryGroupAct, DirectoryGroupRefusal,
};
use domain::event::{Event, Fact, RoomState};
use domain::group::{CompiledRules, FiledReport, Rule, RuleContent};
use domain::ids::{InvitationId, ReportId, RuleId, StreamId, UserId};
use domain::instance::{ChangedSettings, InstanceFact, NewSetting, PlaceSettings};
use domain::operators::invitation_list::{InvitationList, NewInvitation};
use domain::operators::invitations::{AccountInvitation, InvitationRefusal};
use domain::operators::open_reports::{NewOperatorReport, OpenOperatorReports};
use domain::operators::reports::{OperatorAction, OperatorReportRefusal, OperatorResolution};
use domain::operators::rules::{ChangedRule, OperatorRuleList, OperatorRuleRefusal};
use domain::text::Email;
use domain::time::Moment;
use index::IndexFault;
use journal::{Committed, StreamHead};

/// The room's actor.
pub struct InstanceActor {
    context: RoomContext,
    settings: PlaceSettings,
    groups: DirectoryGroupSet,
    reports: OpenOperatorReports,
    rules: OperatorRuleList,
    invitations: InvitationList,
    ledger: Ledger<Self>,
}

/// Changes settings. Sent by `http::operators`, which has checked that no option fixes them.
#[derive(Debug)]
pub struct SetSettings {
    /// The new values.
    pub new: Vec<NewSetting>,
}

impl Question for SetSettings {
    type Answer = ChangedSettings;
    type Refusal = Infallible;
    const DECIDES: bool = true;
}

/// Changes the groups of directories. Sent by `http::scim`, which has checked that the members exist.
#[derive(Debug)]
pub struct ChangeDirectoryGroup(pub DirectoryGroupAct);

impl Question for ChangeDirectoryGroup {
    type Answer = ChangedDirectoryGroup;
    type Refusal = DirectoryGroupRefusal;
    const DECIDES: bool = true;
}

/// Reports something to the operators. Sent by `http::reports`, which has checked that the reporter
/// sees it.
#[derive(Debug)]
pub struct FileOperatorReport {
    /// What is reported, by whom and why.
    pub new: NewOperatorReport,
}

impl Question for FileOperatorReport {
    type Answer = FiledReport;
    type Refusal = OperatorReportRefusal;
    const DECIDES: bool = true;
}

/// Resolves a report. Sent by `http::operator_reports`, which has done what the action says.
#[derive(Debug)]
pub struct ResolveOperatorReport {
    /// The report.
    pub report: ReportId,
    /// The operator.
    pub by: UserId,
    /// What they did.
    pub action: OperatorAction,
    /// Why, in their words.
    pub note: String,
}

impl Question for ResolveOperatorReport {
    /// Those who reported it.
    type Answer = Vec<UserId>;
    type Refusal = OperatorReportRefusal;
    const DECIDES: bool = true;
}

/// Makes or replaces a rule of the operators. Sent by `http::operator_rules`.
#[derive(Debug)]
pub struct SaveOperatorRule {
    /// The operator.
    pub by: UserId,
    /// The rule to replace; `None` to make one.
    pub rule: Option<RuleId>,
    /// What it says.
    pub content: RuleContent,
}

impl Question for SaveOperatorRule {
    type Answer = ChangedRule;
    type Refusal = OperatorRuleRefusal;
    const DECIDES: bool = true;
}

/// Deletes a rule of the operators. Sent by `http::operator_rules`.
#[derive(Debug)]
pub struct DeleteOperatorRule {
    /// The rule.
    pub rule: RuleId,
}

impl Question for DeleteOperatorRule {
    type Answer = ChangedRule;
    type Refusal = OperatorRuleRefusal;
    const DECIDES: bool = true;
}

/// Finds the rules of the operators that match a text. Sent by `http::operator_rules`.
#[derive(Debug)]
pub struct TestOperatorRules {
    /// The text.
    pub text: String,
}

impl Question for TestOperatorRules {
    type Answer = Vec<Arc<Rule>>;
    type Refusal = Infallible;
}

/// Makes an invitation. Sent by `http::account_invitations`.
#[derive(Debug)]
pub struct MakeInvitation {
    /// The operator.
    pub by: UserId,
    /// The invitation.
    pub new: NewInvitation,
}

impl Question for MakeInvitation {
    type Answer = Arc<AccountInvitation>;
    type Refusal = InvitationRefusal;
    const DECIDES: bool = true;
}

/// Counts the use of an invitation, before the account is made. Sent by `http::new_account`.
#[derive(Debug)]
pub struct UseInvitation {
    /// The secret part of its URL.
    pub token: String,
    /// The address that registers.
    pub address: Email,
}

impl Question for UseInvitation {
    type Answer = ();
    type Refusal = InvitationRefusal;
    const DECIDES: bool = true;
}

/// Ends an invitation. Sent by `http::account_invitations`.
#[derive(Debug)]
pub struct EndInvitation {
    /// The invitation.
    pub invitation: InvitationId,
}

impl Question for EndInvitation {
    type Answer = Arc<AccountInvitation>;
    type Refusal = InvitationRefusal;
    const DECIDES: bool = true;
}

impl InstanceActor {
    /// A room that will load itself when it starts.
    pub fn new(context: RoomContext) -> Self {
        let ledger = Ledger::at(StreamHead::default());
        let groups = DirectoryGroupSet::default();
        let reports = OpenOperatorReports::default();
        let rules = OperatorRuleList::default();
        let invitations = InvitationList::default();
        let settings = PlaceSettings::default();
        Self { context, settings, groups, reports, rules, invitations, ledger }
    }
}

impl Actor for InstanceActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        let load = load(self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok(loaded) => {
                room.settings = loaded.settings;
                room.groups = loaded.groups;
                room.reports = loaded.reports;
                room.rules = loaded.rules;
                room.invitations = loaded.invitations;
                room.ledger = Ledger::at(loaded.head);
            }
            Err(fault) => {
                tracing::error!(%fault, "loading the settings failed; the next change loads them again");
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

/// The state of the room in the index.
struct Loaded {
    settings: PlaceSettings,
    groups: DirectoryGroupSet,
    reports: OpenOperatorReports,
    rules: OperatorRuleList,
    invitations: InvitationList,
    head: StreamHead,
}

async fn load(context: RoomContext) -> Result<Loaded, IndexFault> {
    let read = context.archive.read_current(Owner::Server, |archive| {
        let tail = archive.index.tail(StreamId::Instance)?.unwrap_or_default();
        Ok(Loaded {
            settings: archive.index.place_settings()?,
            groups: archive.index.directory_groups()?,
            reports: archive.index.open_operator_reports()?,
            rules: archive.index.operator_rules()?.into(),
            invitations: archive.index.account_invitations()?.into(),
            head: tail.head(),
        })
    });
    read.await
}

impl<Q: Question> Handler<Posted<Q>> for InstanceActor
where
    Self: Answers<Q>,
{
    type Result = ();

    fn handle(&mut self, posted: Posted<Q>, ctx: &mut Context<Self>) {
        if let Some(ask) = posted.open(None) {
            Answers::<Q>::answer(self, ask, ctx);
        }
    }
}

impl Room for InstanceActor {
    fn stream(&self) -> StreamId {
        StreamId::Instance
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, _: &Fact) -> Audience {
        Audience::nobody()
    }

    fn stage(&mut self, event: &Event, _: Moment) -> RoomState {
        if let Fact::Instance(fact) = &event.fact {
            self.settings.apply(fact);
            if let InstanceFact::DirectoryGroupChanged { id, change } = fact {
                self.groups.apply(event.at, *id, change);
            }
            self.reports.apply(fact);
            self.rules.apply(fact);
            self.invitations.apply(fact);
        }
        RoomState::default()
    }

    fn settled(&mut self, _: &Arc<Committed>) {}
}

impl Answers<SetSettings> for InstanceActor {
    fn answer(&mut self, ask: Ask<SetSettings>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.settings.change(ask.question.new, now.wall);
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}

impl Answers<ChangeDirectoryGroup> for InstanceActor {
    fn answer(&mut self, ask: Ask<ChangeDirectoryGroup>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.groups.decide(now.wall, ask.question.0);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<FileOperatorReport> for InstanceActor {
    fn answer(&mut self, ask: Ask<FileOperatorReport>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.reports.file(ask.question.new, now, &*self.context.id_generator);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ResolveOperatorReport> for InstanceActor {
    fn answer(&mut self, ask: Ask<ResolveOperatorReport>, ctx: &mut Context<Self>) {
        let ResolveOperatorReport { report, by, action, note } = ask.question;
        let now = self.context.clock.now();
        let resolution = OperatorResolution { by, action, note, at: now.wall };
        let decided = self.reports.resolve(report, resolution);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<SaveOperatorRule> for InstanceActor {
    fn answer(&mut self, ask: Ask<SaveOperatorRule>, ctx: &mut Context<Self>) {
        let SaveOperatorRule { by, rule, content } = ask.question;
        let now = self.context.clock.now();
        let ids = &*self.context.id_generator;
        let decided = self.rules.save(by, rule, content, now.wall, ids);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<DeleteOperatorRule> for InstanceActor {
    fn answer(&mut self, ask: Ask<DeleteOperatorRule>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.rules.delete(ask.question.rule);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<TestOperatorRules> for InstanceActor {
    fn answer(&mut self, ask: Ask<TestOperatorRules>, _: &mut Context<Self>) {
        let rules = self.rules.rules();
        let matching = CompiledRules::of_all(rules.values()).matching(&ask.question.text);
        let found = matching.iter().filter_map(|id| rules.get(id)).cloned().collect();
        self.when_durable(move |room| {
            ask.reply.send(room.map(|_| found).map_err(Into::into));
        });
    }
}

impl Answers<MakeInvitation> for InstanceActor {
    fn answer(&mut self, ask: Ask<MakeInvitation>, ctx: &mut Context<Self>) {
        let MakeInvitation { by, new } = ask.question;
        let now = self.context.clock.now();
        let decided = self.invitations.make(by, new, now.wall, &*self.context.id_generator);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<UseInvitation> for InstanceActor {
    fn answer(&mut self, ask: Ask<UseInvitation>, ctx: &mut Context<Self>) {
        let UseInvitation { token, address } = ask.question;
        let now = self.context.clock.now();
        let decided = self.invitations.register_use(&token, &address, now.wall);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<EndInvitation> for InstanceActor {
    fn answer(&mut self, ask: Ask<EndInvitation>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.invitations.end(ask.question.invitation);
        self.record(decided, now, ask.reply, ctx);
    }
}
