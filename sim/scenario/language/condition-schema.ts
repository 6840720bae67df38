import { z } from 'zod'
import { countBound, duration, httpRequest, savedNameField, selector, template } from '../../notation/fields.ts'
import { type Selector, selectorOf } from '../../notation/selector.ts'

/** A condition on the leader. */
export type LeaderBound =
  | { readonly kind: 'one' }
  | { readonly kind: 'none' }
  | { readonly kind: 'among'; readonly nodes: Selector }
  | { readonly kind: 'not'; readonly nodes: Selector }

const leader = z
  .string()
  .transform((text, context): LeaderBound => {
    if (text === 'exactly one') return { kind: 'one' }
    if (text === 'none') return { kind: 'none' }
    const negated = text.startsWith('not ')
    const nodes = selectorOf(negated ? text.slice(4) : text.replace(/^(?:same as|among) /, ''))
    if (nodes.ok) return { kind: negated ? 'not' : 'among', nodes: nodes.value }
    const message = `'${text}' says nothing about a leader: write 'exactly one', 'none', a node such as s2 or \${saved}, or 'not …'`
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  })
  .describe(
    `'exactly one', 'none', 's2', '\${old leader}' (exactly one, and it is among these), 'not \${old leader}' (exactly one, and it is another).`,
  )

const kv = z
  .strictObject({
    key: template,
    value: template.optional().describe('What the key must hold.'),
    absent: z.literal(true).optional().describe('There must be no such key.'),
    at: selector.optional().describe('The servers asked, each of which must answer so; one of the running if absent.'),
    consistency: z.enum(['default', 'consistent', 'stale']).optional(),
  })
  .superRefine((given, context) => {
    if ((given.value === undefined) === (given.absent === undefined)) {
      context.issues.push({ code: 'custom', message: "give either 'value' or 'absent: true'", input: given })
    }
  })
  .describe('What a key holds, read over HTTP.')

const answer = z
  .strictObject({
    at: selector.optional().describe('The agents asked, each of which must answer so; every running one if absent.'),
    request: httpRequest.describe('Method and target: GET /v1/health/service/web?passing.'),
    status: z.int().min(100).max(599).optional(),
    body: template.optional().describe('The whole body, or /a regular expression/.'),
  })
  .superRefine((given, context) => {
    if (given.status !== undefined || given.body !== undefined) return
    context.issues.push({ code: 'custom', message: "say what is answered: add 'status' or 'body'", input: given })
  })
  .describe('What agents answer to a request.')

const dns = z
  .strictObject({
    at: selector.optional().describe('The agents asked, each of which must answer so; every running one if absent.'),
    question: z
      .string()
      .regex(
        /^\S+\.( (A|AAAA|SRV|TXT|ANY|NS|SOA|PTR|CNAME))?$/,
        "write 'web.service.svc. SRV': a name that ends in a dot, and a type",
      )
      .describe('An absolute name and a type, A if absent.'),
    answers: z.int().min(0).optional().describe('How many records the answer section has.'),
    contains: template.optional().describe('One of them has this as its address or target.'),
    rcode: z.enum(['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED', 'FORMERR']).default('NOERROR'),
    over: z.enum(['udp', 'tcp']).default('udp'),
  })
  .describe('What agents answer to a DNS question.')

const members = z
  .record(
    z.string().regex(/^[sc][1-9]\d*$/, 'an agent is named s1, c1'),
    z.enum(['alive', 'leaving', 'left', 'failed', 'unknown']),
  )
  .describe("How every running agent sees these members of the pool: { c1: failed }. 'among' says whose word counts.")

const tunnels = z
  .strictObject({
    made: countBound.optional().describe('New connections that were made.'),
    failed: countBound.optional().describe('New connections that failed, of pairs of which one was made before.'),
    'failing for at most': duration
      .optional()
      .describe(
        'The longest time in which new connections of some pair failed: from the first to the next that was made.',
      ),
    broken: countBound.optional().describe('Open connections that broke.'),
  })
  .describe("What became of the connections of 'tunnels', of all groups together.")

const mesh = z
  .strictObject({
    datacenter: z
      .string()
      .min(1)
      .optional()
      .describe("Of which datacenter's authority and proxies; if absent, of the first one's, and of all proxies."),
    roots: countBound.optional().describe('Roots that are listed.'),
    rotation: z
      .enum(['none', 'begun', 'requested', 'crossed'])
      .optional()
      .describe(
        'Where the rotation stands: none is under way; it has begun; the new root has been requested; the old one has signed it.',
      ),
    rotations: countBound.optional().describe('Rotations that have ended with a new root.'),
    connections: countBound.optional().describe('Handshakes of proxies that were made.'),
    leaves: countBound.optional().describe('Leaves that proxies were given.'),
    proxies: z
      .literal('current')
      .optional()
      .describe('current: every proxy has a leaf of the active root and knows the roots that are listed.'),
  })
  .describe('The authority of the mesh, as the replicated state has it.')

/** The keys of a condition. All given ones must hold at the same moment. */
export const conditionShape = {
  leader: leader.optional(),
  among: selector.optional().describe("Restricts 'leader', 'raft.applied' and 'members' to the word of these."),
  'raft.applied': z
    .literal('equal on all')
    .optional()
    .describe("'equal on all': every running server has applied the same entries."),
  running: selector.optional().describe('All of these run.'),
  stopped: selector.optional().describe('None of these runs.'),
  elections: countBound.optional().describe('Leaders elected since the run began.'),
  'writes acknowledged': countBound.optional().describe('Writes of the workload that were answered with success.'),
  members: members.optional(),
  mesh: mesh.optional(),
  tunnels: tunnels.optional(),
  holds: savedNameField
    .optional()
    .describe(
      'Every running server holds what was remembered under this name: the same rows, but for what a release adds to them.',
    ),
  kv: kv.optional(),
  answer: answer.optional(),
  dns: dns.optional(),
}

/** Conditions that are judged by sending requests, which takes time. */
export const askedKeys = ['kv', 'answer', 'dns'] as const

export const condition = z.strictObject(conditionShape).superRefine(atLeastOneCondition)

export function atLeastOneCondition(given: object, context: z.core.$RefinementCtx<object>): void {
  const stated = Object.keys(given).some((key) => Object.hasOwn(conditionShape, key) && key !== 'among')
  if (stated) return
  const names = Object.keys(conditionShape).filter((key) => key !== 'among')
  context.issues.push({
    code: 'custom',
    message: `no condition is stated: add one of ${names.join(', ')}`,
    input: given,
  })
}

export type Condition = z.output<typeof condition>
