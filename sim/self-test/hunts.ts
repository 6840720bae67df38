import type { Patch } from './patch.ts'

/** What no knob of a scenario can set, for the sound program and the one with a bug alike. */
export interface Hunt {
  /** `scenarios/hunts/<name>.yaml` */
  readonly name: string
  readonly tuning: readonly Patch[]
}

/**
 * A restarted server ignores candidates for one timeout, because of leases. By then the round that it voted in is
 * mostly over, which hides lost promises. R11 would report that such a server votes at once, and does not judge it.
 */
const votesAtOnceAfterBoot: readonly Patch[] = [
  {
    file: 'src/raft/core/election.js',
    find: 'if (raft.term > bootstrapTerm)',
    replace: 'if (raft.term < bootstrapTerm)',
  },
  {
    file: 'sim/checkers/loyalty.js',
    find: 'follower.word = this.#former.binding(',
    replace: 'this.#former.binding(',
  },
]

/**
 * A leader's duties about members begin after it has committed an entry of its own term. So Raft never gets a change
 * before that, and its own rule is never exercised.
 */
const dutiesAtOnce: readonly Patch[] = [
  {
    file: 'src/agent/servers/leadership.js',
    find: "const caughtUp = await measured(this.#context, 'leader.barrier', () => this.#context.raft.readIndex());",
    replace: 'const caughtUp = { ok: true };',
  },
]

/** A compromised agent: it requests the leaf of another service than its caller asked for. */
const anAgentLies: readonly Patch[] = [
  {
    file: 'src/agent/mesh/leaf-source.js',
    find: "const uris = [serviceUri({ trustDomain, namespace: 'default', datacenter, service })];",
    replace: "const uris = [serviceUri({ trustDomain, namespace: 'default', datacenter, service: 'db' })];",
  },
]

export const hunts: readonly Hunt[] = [
  { name: 'across-datacenters', tuning: [] },
  { name: 'agents-are-renamed', tuning: [] },
  { name: 'agents-are-watched', tuning: [] },
  { name: 'answers-have-an-age', tuning: [] },
  { name: 'authority-outside-fails', tuning: [] },
  { name: 'checks-stand-for-others', tuning: [] },
  { name: 'datacenters-join', tuning: [] },
  { name: 'deaths-in-calm', tuning: [] },
  { name: 'disks-fail', tuning: [] },
  { name: 'events-and-rights', tuning: [] },
  { name: 'events-are-fired', tuning: [] },
  { name: 'failed-but-following', tuning: [] },
  { name: 'figure-8', tuning: [] },
  { name: 'files-cannot-be-opened', tuning: [] },
  { name: 'hidden-things-change', tuning: [] },
  { name: 'holders-sleep', tuning: [] },
  { name: 'indexes-are-followed', tuning: [] },
  { name: 'intentions-are-edited', tuning: [] },
  { name: 'intentions-decide', tuning: [] },
  { name: 'intentions-in-an-outage', tuning: [] },
  { name: 'keys-are-followed', tuning: [] },
  { name: 'keys-are-followed-by-few', tuning: [] },
  { name: 'late-votes', tuning: [] },
  { name: 'late-words', tuning: [] },
  { name: 'leader-sleeps', tuning: [] },
  { name: 'leader-wakes', tuning: votesAtOnceAfterBoot },
  { name: 'leaders-are-asked', tuning: [] },
  { name: 'leaf-of-another', tuning: anAgentLies },
  { name: 'leaves-are-cut-short', tuning: [] },
  { name: 'leaves-are-unheard', tuning: [] },
  { name: 'limits-are-reached', tuning: [] },
  { name: 'locks-are-put-back', tuning: [] },
  { name: 'long-outage', tuning: [] },
  { name: 'long-tails', tuning: [] },
  { name: 'lost-answers', tuning: [] },
  { name: 'members-are-hostile', tuning: [] },
  { name: 'members-change', tuning: dutiesAtOnce },
  { name: 'members-come-and-go', tuning: [] },
  { name: 'members-rejoin', tuning: [] },
  { name: 'mesh-put-back', tuning: [] },
  { name: 'mesh-root-ends', tuning: [] },
  { name: 'mesh-rotates', tuning: [] },
  { name: 'names-in-outages', tuning: [] },
  { name: 'news-is-old', tuning: [] },
  { name: 'own-keys', tuning: [] },
  { name: 'old-tokens-are-copied', tuning: [] },
  { name: 'pools-are-looked-for', tuning: [] },
  { name: 'power-cuts', tuning: [] },
  { name: 'queries-are-executed', tuning: [] },
  { name: 'queries-fail-over', tuning: [] },
  { name: 'queries-have-an-age', tuning: [] },
  { name: 'recursors-fail', tuning: [] },
  { name: 'registrations-on-failing-disks', tuning: [] },
  { name: 'requests-are-refused', tuning: [] },
  { name: 'rights-are-few', tuning: [] },
  { name: 'root-moves-outside', tuning: [] },
  { name: 'seen-things-change', tuning: [] },
  { name: 'servers-are-behind', tuning: [] },
  { name: 'servers-are-replaced', tuning: [] },
  { name: 'services-are-asked-for', tuning: [] },
  { name: 'services-come-and-go', tuning: [] },
  { name: 'services-have-locks', tuning: [] },
  { name: 'state-put-back', tuning: [] },
  { name: 'tails-and-snapshots', tuning: [] },
  { name: 'things-are-given-back', tuning: [] },
  { name: 'tokens-are-copied', tuning: [] },
  { name: 'tokens-are-migrated', tuning: [] },
  { name: 'tokens-are-revoked', tuning: [] },
  { name: 'two-and-two', tuning: [] },
  { name: 'voters-crash', tuning: votesAtOnceAfterBoot },
  { name: 'voters-restart', tuning: [] },
]
