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

/**
 * The same error object, so that a runner shows its place and its difference; but for one that cannot be changed. The
 * message of a DOMException, such as that of an aborted `c.fetch`, is one that cannot be assigned.
 */
function withSeed(error: unknown, cluster: TestedCluster): unknown {
  const { seed } = cluster
  const story = cluster.story().slice(-storyShown).join('\n')
  const again = `seed ${seed}; repeat it alone with: SVC_SIM_SEED=${seed}`
  const told = error instanceof FailedRun ? again : `${again}\n${story}`
  if (!(error instanceof Error)) return new Error(`${String(error)}\n${told}`)
  const message = `${error.message}\n${told}`
  const stack = `${error.stack ?? ''}\n${told}`
  const isSaid = redefined(error, 'message', message) && redefined(error, 'stack', stack)
  return isSaid ? error : new Error(`${error.name}: ${message}`, { cause: error })
}

function redefined(error: Error, name: 'message' | 'stack', value: string): boolean {
  return Reflect.defineProperty(error, name, { value, writable: true, enumerable: false, configurable: true })
}
