//! Tools of every layer: clocks, threads, bounded queues and memory, metrics, random numbers.

pub mod bounds;
pub mod clock;
pub mod descriptors;
pub mod metrics;
pub mod msgpack;
pub mod random;
pub mod secret_file;
pub mod space;
pub mod threads;
