import { z } from 'zod'
import { faultAction } from '../../faults/fault-schema.ts'
import { duration, release, selector } from '../../notation/fields.ts'
import { nodeConfig } from '../node-config.ts'

/** Bytes as text: base64. */
const base64Text = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'bytes are written in base64')

const http = z
  .strictObject({
    at: selector.describe('The node that the request is sent to.'),
    request: z
      .string()
      .regex(/^[A-Z]+ \S+$/, "a request is its method and target: 'GET /v1/kv/a'")
      .describe('Method and target, as they were sent.'),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
    'body base64': base64Text.optional().describe('Instead of body, where its bytes are no text.'),
  })
  .describe('A request; nothing waits for its answer.')

const dns = z
  .strictObject({
    at: selector.describe('The node that is asked.'),
    packet: base64Text.describe('The question as it was sent, in base64.'),
    over: z.enum(['udp', 'tcp']).default('udp'),
    asks: z.string().optional().describe('The question in words, for readers alone.'),
  })
  .describe('A DNS question.')

const svc = z
  .strictObject({
    at: selector.describe('The node whose HTTP interface the command talks to.'),
    args: z.array(z.string()).min(1).max(100).describe('Arguments of svc: [kv, put, color, blue].'),
    input: z.string().optional().describe('Its standard input.'),
  })
  .describe('A command of svc. After a virtual minute it is interrupted.')

const upgrade = z
  .strictObject({ node: selector, to: release.describe('The release that it runs from now on.') })
  .describe('Stops an agent, and starts it on the same disk as another release.')

const configure = z
  .strictObject({
    node: selector,
    config: nodeConfig.describe('Settings that replace those of the same name.'),
    without: z.array(z.string()).optional().describe('Names of settings that are removed.'),
  })
  .describe('Stops an agent, and starts it on the same disk with other settings.')

const actShape = {
  do: faultAction.optional().describe('A fault, or what ends one.'),
  mend: z.literal(true).optional().describe('Ends every fault, and starts every stopped agent.'),
  http: http.optional(),
  dns: dns.optional(),
  svc: svc.optional(),
  upgrade: upgrade.optional(),
  configure: configure.optional(),
}

export const actKinds = Object.keys(actShape) as readonly ActKind[]
export type ActKind = keyof typeof actShape

const placeShape = {
  at: duration.describe('The virtual time, to the microsecond: 12.345678s.'),
  after: z
    .int()
    .min(0)
    .optional()
    .describe('After this many events of the run, where events of the same moment were still to come.'),
}

/** One act at its place. Exactly one of its other keys is there. */
export const playedAct = z.strictObject({ ...placeShape, ...actShape }).superRefine((given, context) => {
  const keys = actKinds.filter((key) => given[key] !== undefined)
  if (keys.length === 1) return
  const message = `an act does one thing, this one ${keys.length === 0 ? 'nothing' : keys.join(' and ')}`
  context.issues.push({ code: 'custom', message: `${message}: give one of ${actKinds.join(', ')}`, input: given })
})

export type PlayedAct = z.output<typeof playedAct>

/** Acts of one page, and of one session. */
export const actsMax = 5_000

export const played = z
  .strictObject({
    acts: z.array(playedAct).max(actsMax).describe('What was done, in its order.'),
    ends: z.strictObject(placeShape).describe('Where the session was saved: the run ends there.'),
    trace: z
      .string()
      .optional()
      .describe('The hash of the trace at that place; the story says whether the run has the same one.'),
    rest: z
      .literal(true)
      .optional()
      .describe('After that every fault ends, and the cluster must come to rest, as other runs do.'),
  })
  .describe('What a person did to the cluster with svc-sim play, in place of steps.')

/** A place in a run: a time, and the number of events before it, where others of the same time come after it. */
export interface Place {
  readonly atUs: number
  readonly after?: number | undefined
}

/** The place of an act, or of an end, as a page has it. */
export function placeOf({ at, after }: { readonly at: number; readonly after?: number | undefined }): Place {
  return { atUs: Math.round(at * 1000), after }
}
