//! Many reductions in flight at once, awaited by a small executor of this thread.
use lookback::{Context, Operator, Reduce};

fn main() -> Result<(), lookback::Error> {
    pollster::block_on(async {
        let context = Context::new_async().await?;
        let sum = Reduce::new(&context, &Operator::<u32>::sum())?;
        let inputs: Vec<Vec<u32>> = (1..=8).map(|k| (0..k * 1000).collect()).collect();
        // A future uploads and submits when it is first polled; here all are, before any is done.
        let mut pending: Vec<_> =
            inputs.iter().map(|input| Box::pin(sum.run_async(input))).collect();
        let mut results = vec![None; pending.len()];
        std::future::poll_fn(|task| {
            for (future, result) in pending.iter_mut().zip(&mut results) {
                if result.is_none() {
                    if let std::task::Poll::Ready(done) = future.as_mut().poll(task) {
                        *result = Some(done.map_err(|e| e.to_string()));
                    }
                }
            }
            match results.iter().all(Option::is_some) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
        for (input, result) in inputs.iter().zip(results) {
            println!("the sum of 0 to {}: {result:?}", input.len() - 1);
            assert_eq!(result, Some(Ok(input.iter().sum())));
        }
        Ok(())
    })
}
