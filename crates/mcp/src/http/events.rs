//! The events of the streams of a token, kept in memory so that a client whose connection broke can continue a stream
//! with `Last-Event-ID` (revisions up to 2025-11-25), even if the call has ended meanwhile.
//!
//! The store is bounded by age, number and size; the oldest streams go first. An event that is gone is not replayed:
//! the client sees that its stream ends.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::stream::unfold;
use rmcp::model::{ContentBlock, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::streamable_http_server::session::{EventStore, EventStoreError, EventStream, ServerSseMessage};
use serde::Serialize;
use tokio::sync::watch;

/// Time for which a stream is kept after its last event.
const AGE: Duration = Duration::from_secs(300);
/// Maximum number of streams.
const STREAMS: usize = 4096;
/// Maximum size of all events in bytes, estimated.
const BYTES: usize = 32 << 20;
/// Maximum number of events of a stream; of more, the oldest are dropped.
const EVENTS: usize = 256;
/// Estimated size in bytes of an event beside its message.
const EVENT: usize = 1 << 10;

/// The events of the streams of a token.
#[derive(Default)]
pub struct Events(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    /// The streams, by the number in the ids of their events.
    streams: HashMap<u64, Stream>,
    numbers: HashMap<String, u64>,
    /// The streams in the order of their first events.
    order: VecDeque<u64>,
    next: u64,
    bytes: usize,
}

struct Stream {
    id: String,
    /// The events, with their sizes; the first has the number `first`.
    events: VecDeque<(ServerSseMessage, usize)>,
    first: u64,
    newest: Instant,
    /// The number of events so far; closed when the stream is dropped.
    count: watch::Sender<u64>,
    is_over: bool,
}

impl Events {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        lock(&self.0)
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait::async_trait]
impl EventStore for Events {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(self.lock().add(stream, event.clone(), Instant::now()))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let parsed = last.split_once('-').and_then(|(stream, event)| Some((stream.parse().ok()?, event.parse().ok()?)));
        let (stream, event): (u64, u64) = parsed.ok_or("there is no such event")?;
        let count = self.lock().streams.get(&stream).map(|stream| stream.count.subscribe());
        let from = Replay {
            kept: self.0.clone(),
            stream,
            next: event.saturating_add(1),
            count: count.ok_or("the events are gone")?,
        };
        Ok(Box::pin(unfold(from, Replay::step)))
    }
}

/// A stream that is continued.
struct Replay {
    kept: Arc<Mutex<Kept>>,
    stream: u64,
    /// The number of the next event.
    next: u64,
    count: watch::Receiver<u64>,
}

impl Replay {
    async fn step(mut self) -> Option<(ServerSseMessage, Replay)> {
        loop {
            {
                let kept = lock(&self.kept);
                let stream = kept.streams.get(&self.stream)?;
                let place = usize::try_from(self.next.saturating_sub(stream.first)).ok()?;
                if let Some((event, _)) = stream.events.get(place) {
                    let event = event.clone();
                    self.next = stream.first + place as u64 + 1;
                    drop(kept);
                    return Some((event, self));
                }
                if stream.is_over {
                    return None;
                }
            }
            let next = self.next;
            self.count.wait_for(|count| *count > next).await.ok()?;
        }
    }
}

impl Kept {
    /// Adds an event to a stream and returns its id.
    fn add(&mut self, id: &str, mut event: ServerSseMessage, now: Instant) -> String {
        let number = self.numbers.get(id).copied().unwrap_or_else(|| self.begin(id, now));
        let size = size_of_event(&event);
        let ends = matches!(
            event.message.as_deref(),
            Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_))
        );
        let stream = self.streams.get_mut(&number).expect("the stream has begun");
        let place = stream.first + stream.events.len() as u64;
        let event_id = format!("{number}-{place}");
        event.event_id = Some(event_id.clone());
        stream.events.push_back((event, size));
        stream.newest = now;
        // The stream without a request (`GET`) carries no answers.
        stream.is_over |= ends;
        self.bytes += size;
        if stream.events.len() > EVENTS
            && let Some((_, dropped)) = stream.events.pop_front()
        {
            stream.first += 1;
            self.bytes -= dropped;
        }
        stream.count.send_replace(place + 1);
        self.drop_old(number, now);
        event_id
    }

    fn begin(&mut self, id: &str, now: Instant) -> u64 {
        let number = self.next;
        self.next += 1;
        let (id, events) = (id.to_owned(), VecDeque::new());
        self.numbers.insert(id.clone(), number);
        self.order.push_back(number);
        let stream = Stream { id, events, first: 0, newest: now, count: watch::Sender::new(0), is_over: false };
        self.streams.insert(number, stream);
        number
    }

    /// Drops the oldest streams, except `newest`, while there are too many, they are too large or too old.
    fn drop_old(&mut self, newest: u64, now: Instant) {
        while let Some(number) = self.order.front().copied().filter(|number| *number != newest) {
            let stream = &self.streams[&number];
            let is_old = stream.is_over && now.saturating_duration_since(stream.newest) > AGE;
            if !is_old && self.streams.len() <= STREAMS && self.bytes <= BYTES {
                return;
            }
            self.order.pop_front();
            if let Some(stream) = self.streams.remove(&number) {
                self.numbers.remove(&stream.id);
                self.bytes -= stream.events.iter().map(|(_, size)| size).sum::<usize>();
            }
        }
    }
}

/// Estimates the size of an event. Answers of tools are not written for that: their text stands for structured content
/// of the same size.
fn size_of_event(event: &ServerSseMessage) -> usize {
    let Some(message) = event.message.as_deref() else { return EVENT };
    if let ServerJsonRpcMessage::Response(response) = message
        && let ServerResult::CallToolResult(result) = &response.result
    {
        let blocks = result.content.iter().map(|block| match block {
            ContentBlock::Text(text) => 2 * text.text.len(),
            ContentBlock::Image(image) => image.data.len(),
            ContentBlock::Audio(audio) => audio.data.len(),
            other => written_size(other),
        });
        return EVENT + blocks.sum::<usize>();
    }
    EVENT + written_size(message)
}

/// Returns the size of a value as JSON in bytes.
fn written_size(value: &impl Serialize) -> usize {
    let mut size = Size(0);
    // Writing cannot fail; what cannot be written is not sent either.
    let _ = serde_json::to_writer(&mut size, value);
    size.0
}

/// Counts the bytes written to it.
struct Size(usize);

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use futures_util::StreamExt;
    use rmcp::model::{
        CallToolResult, ContentBlock, NumberOrString, ReadResourceResult, ResourceContents, ServerJsonRpcMessage,
        ServerResult,
    };
    use rmcp::transport::streamable_http_server::session::{EventStore, ServerSseMessage};

    use super::{AGE, BYTES, EVENTS, Events, Kept, STREAMS};

    fn answer(text: &str) -> ServerSseMessage {
        answer_of(ContentBlock::text(text))
    }

    fn answer_of(block: ContentBlock) -> ServerSseMessage {
        response(ServerResult::CallToolResult(CallToolResult::success(vec![block])))
    }

    fn response(result: ServerResult) -> ServerSseMessage {
        ServerSseMessage::from_message(ServerJsonRpcMessage::response(result, NumberOrString::Number(1)))
    }

    fn progress() -> ServerSseMessage {
        ServerSseMessage::retry(Duration::from_secs(1))
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_continues_after_an_event_and_ends_with_its_answer() {
        let events = Events::default();
        let first = events.store_event("a", &progress()).await.expect("it is kept");
        events.store_event("b", &answer("of another")).await.expect("it is kept");
        let mut replayed = events.replay_events_after(&first).await.expect("it is there");
        let second = events.store_event("a", &progress()).await.expect("it is kept");
        assert_eq!(replayed.next().await.and_then(|event| event.event_id), Some(second));
        let done = answer("done");
        let (event, last) = tokio::join!(replayed.next(), events.store_event("a", &done));
        assert_eq!(event.and_then(|event| event.event_id), last.ok());
        assert!(replayed.next().await.is_none());
        for unknown in ["", "0", "7-0", "x-y", "18446744073709551615-18446744073709551615"] {
            assert!(events.replay_events_after(unknown).await.is_err(), "{unknown}");
        }
    }

    #[test]
    fn every_kind_of_answer_counts_with_its_content() {
        let large = "x".repeat(BYTES / 4);
        let resource = ResourceContents::text(&large, "file:///a");
        for event in [
            answer(&large),
            answer_of(ContentBlock::image(&large, "image/png")),
            answer_of(ContentBlock::audio(&large, "audio/wav")),
            answer_of(ContentBlock::resource(resource.clone())),
            response(ServerResult::ReadResourceResult(ReadResourceResult::new(vec![resource]))),
        ] {
            let mut kept = Kept::default();
            for number in 0..10 {
                kept.add(&format!("{number}"), event.clone(), Instant::now());
            }
            assert!(kept.bytes <= BYTES && kept.streams.len() <= 4, "{} in {}", kept.bytes, kept.streams.len());
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let now = Instant::now();
        let mut kept = Kept::default();
        for number in 0..STREAMS + 10 {
            kept.add(&format!("{number}"), answer(""), now);
        }
        assert_eq!((kept.streams.len(), kept.order.len(), kept.numbers.len()), (STREAMS, STREAMS, STREAMS));
        for number in 0..100 {
            kept.add(&format!("large {number}"), answer(&"x".repeat(BYTES / 20)), now);
        }
        assert!(kept.bytes <= BYTES && kept.streams.len() < 20, "{} in {}", kept.bytes, kept.streams.len());
        for _ in 0..2 * EVENTS {
            kept.add("long", progress(), now);
        }
        assert_eq!(kept.streams[&kept.numbers["long"]].events.len(), EVENTS);
        kept.add("much later", answer(""), now + AGE + Duration::from_secs(1));
        let left: usize = kept.streams.values().flat_map(|stream| &stream.events).map(|(_, size)| size).sum();
        assert_eq!(kept.bytes, left);
    }
}
