//! One question to many rooms at once: those that run are asked, for the others somebody
//! reads what is durable, without starting a room for each.
//!
//! Nobody decides anything where no room runs, so what is durable is all there is.

use std::time::Duration;

use crate::actors::ask::{Awaited, Came, Failure, Fault};

/// How long the rooms have for their answers.
const DEADLINE: Duration = Duration::from_secs(30);

/// What a room that was asked had to say.
pub(super) enum RoomAnswer<T> {
    /// This, or nothing to this asker.
    Answer(Option<T>),
    /// It went to rest before it read the question.
    AtRest,
}

/// Waits for the answer of a room that runs.
pub(super) async fn heard<T, R>(answer: Awaited<T, R>) -> Result<RoomAnswer<T>, Fault> {
    match answer.await {
        Came::Answer(Ok(answer)) => Ok(RoomAnswer::Answer(Some(answer))),
        Came::Answer(Err(Failure::Refused(_))) => Ok(RoomAnswer::Answer(None)),
        Came::Answer(Err(Failure::Fault(fault))) => Err(fault),
        Came::Back(_) | Came::Lost => Ok(RoomAnswer::AtRest),
    }
}

/// One answer for each id, in their order. `ask` asks a room if it runs, `read` finds the
/// same for those that do not.
pub(super) async fn gathered<K: Copy, T, F>(
    ids: &[K],
    ask: impl Fn(K) -> Result<Option<F>, Fault>,
    read: impl AsyncFn(Vec<K>) -> Result<Vec<Option<T>>, Fault>,
) -> Result<Vec<Option<T>>, Fault>
where
    F: Future<Output = Result<RoomAnswer<T>, Fault>>,
{
    let asked: Vec<Option<F>> = ids.iter().map(|id| ask(*id)).collect::<Result<_, _>>()?;
    let at_rest = ids.iter().zip(&asked).filter(|(_, asked)| asked.is_none());
    let mut found = read(at_rest.map(|(id, _)| *id).collect()).await?.into_iter();
    let answers = async {
        let mut answers = Vec::with_capacity(ids.len());
        for (id, asked) in ids.iter().zip(asked) {
            let Some(asked) = asked else {
                answers.push(found.next().flatten());
                continue;
            };
            answers.push(match asked.await? {
                RoomAnswer::Answer(answer) => answer,
                RoomAnswer::AtRest => read(vec![*id]).await?.pop().flatten(),
            });
        }
        Ok(answers)
    };
    tokio::time::timeout(DEADLINE, answers).await.unwrap_or(Err(Fault::Late))
}
