import type { Command } from 'commander'
import { fullState } from '../../src/gossip/core/answers.ts'
import { createGossip } from '../../src/gossip/core/state.ts'
import { step as gossipStep } from '../../src/gossip/core/step.ts'
import { bootstrapped } from '../../src/raft/core/configuration.ts'
import { createRaft } from '../../src/raft/core/state.ts'
import { step } from '../../src/raft/core/step.ts'
import { Closure } from '../search/closure.ts'
import { type GossipBounds, smallPool } from '../search/gossip/bounds.ts'
import { GossipProtocol } from '../search/gossip/protocol.ts'
import { type RaftBounds, smallBounds } from '../search/raft/bounds.ts'
import { RaftProtocol } from '../search/raft/protocol.ts'
import { Search, type SearchResult } from '../search/search.ts'
import { countTo, type Ended } from './flag-values.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface SearchFlags {
  /** Maximum number of states that are remembered. */
  readonly states: number
  readonly symmetry: boolean
}

interface RaftSearchFlags extends SearchFlags {
  readonly terms: number
  readonly entries: number
  readonly heartbeats: number
  readonly batch: number
  readonly slowWrites: number
  readonly preVote?: boolean
  readonly stepDown?: boolean
  readonly restarts: boolean
}

const statesMost = 40_000_000

/** `svc-sim search …`. */
export function addSearches(program: Command, terminal: SimTerminal, ended: Ended): void {
  const searches = program
    .command('search')
    .description('Visit every state that a protocol core can reach within bounds, and check the invariants in each.')
  const search = (name: string, about: string): Command =>
    searches
      .command(name)
      .description(about)
      .option(
        '--states <n>',
        'give up beyond this number of states; each takes about 80 bytes',
        countTo(statesMost),
        4_000_000,
      )
      .option('--no-symmetry', 'count states that differ only in the names of the nodes as different')
  search('raft', 'Three servers: messages lost, duplicated and reordered, power cuts.')
    .option('--terms <n>', 'terms after the first', countTo(6), smallBounds.terms)
    .option('--entries <n>', 'entries in a log after the first', countTo(8), smallBounds.entries)
    .option('--heartbeats <n>', 'rounds of heartbeats of one leader', countTo(4, 0), smallBounds.heartbeats)
    .option('--batch <n>', 'entries in one append', countTo(8), smallBounds.batch)
    .option(
      '--slow-writes <n>',
      'writes to disk that may be under way while a server continues',
      countTo(3, 0),
      smallBounds.slowWrites,
    )
    .option('--pre-vote', 'servers ask first whether they could win')
    .option('--step-down', 'leaders may step down because nobody answers')
    .option('--no-restarts', 'no power cuts')
    .action((flags: RaftSearchFlags) => ended(searchRaft(flags, terminal)))
  search('gossip', 'Three members: accusations, refutations, messages lost, duplicated and reordered.')
    .option('--incarnations <n>', 'the greatest incarnation', countTo(4), smallPool.incarnations)
    .option('--times <n>', 'the greatest Lamport time of leaving and joining', countTo(4), smallPool.times)
    .option('--leaves', 'members may leave')
    .option('--restarts', 'members may end and start anew')
    .option('--exchanges', 'members exchange full states')
    .action((flags: GossipSearchFlags) => ended(searchGossip(flags, terminal)))
}

function searchRaft(flags: RaftSearchFlags, terminal: SimTerminal): number {
  const { terms, entries, heartbeats, batch, slowWrites, preVote = false, stepDown = false, restarts } = flags
  const { servers } = smallBounds
  const bounds: RaftBounds = { servers, terms, entries, heartbeats, batch, slowWrites, preVote, stepDown, restarts }
  const protocol = new RaftProtocol({ bootstrapped, createRaft, step }, bounds)
  return told(new Search(protocol, { statesMax: flags.states, symmetry: flags.symmetry }), terminal)
}

interface GossipSearchFlags extends SearchFlags {
  readonly incarnations: number
  readonly times: number
  readonly leaves?: boolean
  readonly restarts?: boolean
  readonly exchanges?: boolean
}

/** The laws are of one member: the closure shows that they hold; only if it does not, the search looks for a path. */
function searchGossip(flags: GossipSearchFlags, terminal: SimTerminal): number {
  const { incarnations, times, leaves = false, restarts = false, exchanges = false } = flags
  const { members } = smallPool
  const bounds: GossipBounds = { members, incarnations, times, leaves, restarts, exchanges }
  const protocol = new GossipProtocol({ createGossip, fullState, step: gossipStep }, bounds)
  const closed = new Closure(protocol, { statesMax: flags.states }).run()
  if (closed.end === 'broken') {
    return told(new Search(protocol, { statesMax: flags.states, symmetry: flags.symmetry }), terminal)
  }
  const { nodeStates, nodeSteps, words, depth } = closed
  const counts = `${nodeStates} states of one member, up to ${depth} steps from the first; ${nodeSteps} steps; ${words} words`
  terminal.out(`${ends[closed.end]}\n${counts}\n`)
  return closed.end === 'exhausted' ? exits.passed : exits.undecided
}

function told(search: { run(): SearchResult }, terminal: SimTerminal): number {
  const beganMs = terminal.wallMs()
  const result = search.run()
  const lines = [...result.steps, ...(result.law === undefined ? [] : [`Broken: ${result.law}`])]
  terminal.out(`${[...lines, ...summary(result, (terminal.wallMs() - beganMs) / 1000)].join('\n')}\n`)
  if (result.end === 'broken') return exits.failed
  return result.end === 'exhausted' ? exits.passed : exits.undecided
}

const ends: Record<SearchResult['end'], string> = {
  exhausted: 'All states within these bounds were visited, and no law is broken in any of them.',
  full: 'Not finished: there are more states than may be remembered (--states). No law is broken in these.',
  broken: 'A law is broken, by the steps above.',
}

function summary(result: SearchResult, seconds: number): readonly string[] {
  const { states, tuples, depth, transitions, nodeStates, nodeSteps, words, bytes } = result
  const counted = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
  return [
    ends[result.end],
    `${counted(states)} states (${counted(tuples)} without counting messages), up to ${depth} steps from the first`,
    `${counted(transitions)} steps tried, ${counted(nodeSteps)} taken by a core in ${counted(nodeStates)} states of one node; ${counted(words)} words`,
    `${seconds.toFixed(1)} s, ${Math.ceil(bytes / 1_000_000)} MB for the states`,
  ]
}
