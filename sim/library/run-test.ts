/** Something that must hold in a run does not hold. The message ends with the end of the story. */
export class FailedRun extends Error {}

/** The cluster of one test, as far as its end is concerned. */
interface TestedCluster {
  readonly seed: number
  story(): readonly string[]
  close(options: { readonly rest: boolean }): Promise<void>
}

/** Runs one test on a cluster of its own. A failure names its seed, how to repeat it, and the end of the story. */
export async function runTest<Cluster extends TestedCluster>(
  create: () => Promise<Cluster>,
  rest: boolean,
  test: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await create()
  let failure: { readonly error: unknown } | undefined
  try {
    await test(cluster)
  } catch (error) {
    failure = { error }
  }
  try {
    await cluster.close({ rest: rest && failure === undefined })
  } catch (error) {
    // The test's error came first, and usually has the same cause.
    failure ??= { error }
  }
  if (failure !== undefined) throw withSeed(failure.error, cluster)
}

const storyShown = 30

/** The same error object, so that a runner shows its place and its difference. */
function withSeed(error: unknown, cluster: TestedCluster): unknown {
  const { seed } = cluster
  const story = cluster.story().slice(-storyShown).join('\n')
  const again = `seed ${seed}; repeat it alone with: SVC_SIM_SEED=${seed}`
  const told = error instanceof FailedRun ? again : `${again}\n${story}`
  if (!(error instanceof Error)) return new Error(`${String(error)}\n${told}`)
  error.message = `${error.message}\n${told}`
  error.stack = `${error.stack ?? ''}\n${told}`
  return error
}
