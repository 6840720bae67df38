import type { Profiler as CpuProfiler, HeapProfiler, NodeTracing, Runtime } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import type { ProfileKind } from '../env/profiler.ts'
import { encodeProfile, type Frame, type StackSample } from './pprof.ts'

/** Time between two samples of the stack, in microseconds. */
const cpuIntervalUs = 1_000
/** One sample per this many allocated bytes on average: the field's own rate. */
const heapIntervalBytes = 512 << 10
const traceEventsMax = 100_000

/** Categories that the platform records about itself, without content of requests. */
const traceCategories = ['node.async_hooks', 'node.fs.async', 'node.net.native', 'node.http', 'node.environment', 'v8']
/** The time that a profile is of. */
export interface ProfiledTime {
  readonly beganMs: number
  /** Settles when the time is over, or the caller has disconnected. */
  readonly over: Promise<void>
  readonly tookMs: () => number
}

interface Taking extends ProfiledTime {
  readonly session: Session
}

/** Takes a profile of this process by the inspector of V8, which can take one at a time. */
export async function takeProfile(kind: ProfileKind, time: ProfiledTime): Promise<Uint8Array> {
  const session = new Session()
  try {
    session.connect()
    return await profiles[kind]({ ...time, session })
  } finally {
    session.disconnect()
  }
}

const profiles: Readonly<Record<ProfileKind, (taking: Taking) => Promise<Uint8Array>>> = {
  cpu: cpuProfile,
  heap: (taking) => heapProfile(taking, 'inuse'),
  allocations: (taking) => heapProfile(taking, 'alloc'),
  pending: async ({ beganMs }) => {
    const measure = ['goroutine', 'count'] as const
    const samples = [...pendingKinds()].map(([name, count]) => ({ stack: [placeless(name)], values: [count] }))
    return encodeProfile({ measures: [measure], period: { measure, value: 1 }, samples, beganMs, tookMs: 0 })
  },
  trace: traceEvents,
}

/** Number of pending asynchronous operations of this process by Node's kind, including the event loop itself. */
function pendingKinds(): ReadonlyMap<string, number> {
  const counts = new Map([['EventLoop', 1]])
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

function placeless(name: string): Frame {
  return { name, file: '', line: 0 }
}

async function cpuProfile({ session, over, beganMs, tookMs }: Taking): Promise<Uint8Array> {
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: cpuIntervalUs })
  await session.post('Profiler.start')
  await over
  const { profile } = await session.post('Profiler.stop')
  const measures = [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ] as const
  const period = { measure: measures[1], value: cpuIntervalUs * 1_000 }
  return encodeProfile({ measures, period, samples: cpuSamples(profile), beganMs, tookMs: tookMs() })
}

/** Each place with its samples, and the time from each to the next; idle time took no CPU time. */
function cpuSamples({ nodes, samples = [], timeDeltas = [] }: CpuProfiler.Profile): readonly StackSample[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const sums = new Map<number, { count: number; nanoseconds: number }>()
  for (const [at, id] of samples.entries()) {
    const sum = sums.get(id) ?? { count: 0, nanoseconds: 0 }
    sum.count++
    sum.nanoseconds += Math.max(0, timeDeltas[at + 1] ?? 0) * 1_000
    sums.set(id, sum)
  }
  return [...sums].flatMap(([id, { count, nanoseconds }]) => {
    const stack: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame
      if (frame !== undefined && frame.functionName !== '(root)') stack.push(frameOf(frame))
    }
    return stack[0] === undefined || stack[0].name === '(idle)' ? [] : [{ stack, values: [count, nanoseconds] }]
  })
}

function frameOf({ functionName, url, lineNumber }: Runtime.CallFrame): Frame {
  return { name: functionName === '' ? '(anonymous)' : functionName, file: url, line: lineNumber + 1 }
}

/**
 * `inuse`: memory in use by where it was allocated, as far as that happened while the profile was taken; the rest is by
 * space of the heap. `alloc`: all memory that was allocated meanwhile, whether or not it is still in use.
 */
async function heapProfile({ session, over, beganMs, tookMs }: Taking, what: 'inuse' | 'alloc'): Promise<Uint8Array> {
  const withCollected = what === 'alloc'
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: heapIntervalBytes,
    includeObjectsCollectedByMajorGC: withCollected,
    includeObjectsCollectedByMinorGC: withCollected,
  })
  await over
  const { profile } = await session.post('HeapProfiler.stopSampling')
  const sampled = heapSamples(profile)
  const measures = [[`${what}_space`, 'bytes']] as const
  const samples = withCollected ? sampled : [...sampled, ...earlierMemory(sampled)]
  const period = { measure: ['space', 'bytes'] as const, value: heapIntervalBytes }
  return encodeProfile({ measures, period, samples, beganMs, tookMs: tookMs() })
}

function heapSamples({ head }: HeapProfiler.SamplingHeapProfile): readonly StackSample[] {
  const samples: StackSample[] = []
  // A list rather than recursion, because stacks are as deep as the program was.
  const left: { node: HeapProfiler.SamplingHeapProfileNode; above: readonly Frame[] }[] = [{ node: head, above: [] }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, above } = next
    const stack = node.callFrame.functionName === '(root)' ? above : [frameOf(node.callFrame), ...above]
    if (node.selfSize > 0 && stack.length > 0) samples.push({ stack, values: [node.selfSize] })
    for (const child of node.children) left.push({ node: child, above: stack })
  }
  return samples
}

/** The allocating place of the remaining memory in use is unknown: it is shown by space of the heap. */
function earlierMemory(sampled: readonly StackSample[]): readonly StackSample[] {
  const spaces = getHeapSpaceStatistics().filter(({ space_used_size }) => space_used_size > 0)
  const used = spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  const known = sampled.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)
  const rest = Math.max(0, 1 - known / used)
  return spaces.map(({ space_name, space_used_size }) => ({
    stack: [placeless(`(before the profile, in ${space_name})`)],
    values: [space_used_size * rest],
  }))
}

async function traceEvents({ session, over }: Taking): Promise<Uint8Array> {
  const events: object[] = []
  session.on('NodeTracing.dataCollected', ({ params }: { params: NodeTracing.DataCollectedEventDataType }) => {
    for (const event of params.value) if (events.length < traceEventsMax) events.push(event)
  })
  const complete = new Promise<void>((resolve) => session.once('NodeTracing.tracingComplete', () => resolve()))
  await session.post('NodeTracing.start', { traceConfig: { includedCategories: traceCategories } })
  await over
  await session.post('NodeTracing.stop')
  await complete
  return new TextEncoder().encode(JSON.stringify({ traceEvents: events }))
}
