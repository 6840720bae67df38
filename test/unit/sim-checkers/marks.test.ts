import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { accessTold } from '../../../sim/checkers/access/access-marks.ts'
import { careTold } from '../../../sim/checkers/autopilot-marks.ts'
import { readersTold } from '../../../sim/checkers/clients/reader-marks.ts'
import type { Facts } from '../../../sim/checkers/facts.ts'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { inOrder, type Mark, marks } from '../../../sim/checkers/marks.ts'
import { meshTold } from '../../../sim/checkers/mesh/mesh-marks.ts'
import { malformedCommand, routeThrew } from '../../../sim/checkers/panics.ts'
import { poolTold } from '../../../sim/checkers/pool/pool-marks.ts'
import { agentTold, diskTold } from '../../../sim/checkers/process-marks.ts'
import { raftTold } from '../../../sim/checkers/raft/raft-marks.ts'
import { ServerLog } from '../../../sim/checkers/raft/server-log.ts'
import { serverLogs } from '../../../sim/checkers/raft/server-logs.ts'
import { reachedStates } from '../../../sim/checkers/rare-states.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { projectRoot } from '../../tools/planted.ts'
import { entry } from './reports.ts'

const why = { said: '' }

describe('marks of rare states', () => {
  it('are told once, in the order of their table', () => {
    expect(inOrder(['tail cut', 'two leaders alive', 'tail cut'])).toEqual(['two leaders alive', 'tail cut'])
  })

  it('are at least sixty, each with a clause that says what it is', () => {
    expect(Object.keys(marks).length).toBeGreaterThanOrEqual(60)
    expect(Object.entries(marks).filter(([, text]) => !/^[a-z].{20,}[^.]$/.test(text))).toEqual([])
  })

  it('of what a process tells itself listen to texts that the program has', () => {
    const source = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(projectRoot, 'src', name), 'utf8'))
      .join('\n')
    const all = [raftTold, careTold, diskTold, agentTold, poolTold, readersTold, accessTold, meshTold]
    const texts = all.flatMap(({ toldBy }) => Object.values(toldBy)).map((told) => told.replace(/^[a-z]+: /, ''))
    expect(texts.length).toBeGreaterThan(30)
    expect([...texts, routeThrew, malformedCommand].filter((text) => !source.includes(text))).toEqual([])
  })
})

describe('a mark', () => {
  it.each(stories())('%s', (_, told, expected) => {
    const run = new Invariants({ nowUs: () => 5_000_000, staleDefaultMs: 0, onTrigger: () => {} })
    for (const tell of told) tell(run)
    run.end(() => false)
    expect(inOrder(run.of(reachedStates).atUs.keys())).toEqual(expected)
  })
})

type Telling = (run: Invariants) => void

function fact<Name extends keyof Facts>(name: Name, told: Facts[Name]): Telling {
  return (run) => run.tell(name, told)
}

function fails(operation: 'open' | 'rename', path: string): Telling {
  return fact('disk operation failed', { node: 's1', operation, path })
}

function message(node: string, sent: RaftMessage): Telling {
  return fact('message received', { node, from: 's9', message: sent })
}

const noReplacement = { hasReplacedVoter: () => false }

function stories(): readonly (readonly [string, readonly Telling[], readonly Mark[]])[] {
  const term = (number: number) => termOf(number)
  const index = (number: number) => logIndexOf(number)
  const leads = fact('leader began', { node: 's1', term: term(4), log: new ServerLog(), atUs: 0 })
  const heartbeat = (number: number): RaftMessage => ({
    kind: 'append-request',
    term: term(number),
    previousIndex: index(0),
    previousTerm: term(0),
    entries: [],
    commit: index(0),
    round: 1,
  })
  const answer = (number: number, success: boolean): RaftMessage => ({
    kind: 'append-response',
    term: term(number),
    success,
    index: index(0),
    hintTerm: term(0),
    round: 1,
  })
  const cached = (hit: string, index: number) =>
    fact('service told', {
      service: 'web',
      of: 'health',
      agent: 'c1',
      how: 'cached',
      near: undefined,
      told: '',
      nodes: [],
      calledUs: 0,
      index,
      lastContactMs: undefined,
      kept: { wanted: { mustRevalidate: false, maxAgeS: undefined, staleIfErrorS: undefined }, hit, age: undefined },
    })
  const found = fact('term found', { node: 's1', term: term(4), votedFor: 's2' })
  const isAhead: Telling = (run) => run.of(serverLogs).of('s1').append(entry(1, 3))
  const asks = (number: number, pre = false): RaftMessage => ({
    kind: 'vote-request',
    pre,
    term: term(number),
    lastIndex: index(0),
    lastTerm: term(0),
    transfer: false,
  })
  const id = '00000000-0000-4000-8000-000000000004'
  const remain = (before: string, ...after: readonly string[]) =>
    fact('members changed', {
      node: 's1',
      before: [before],
      configuration: { servers: after.map((name) => ({ id: name, address: '10.0.0.4:8300', suffrage: 'voter' })) },
    })
  return [
    ['of a removal is seen when a voter goes by itself', [remain(id)], ['removal by autopilot']],
    [
      'of a removal needs that nobody asked for it',
      [fact('removal allowed', { node: 's1', id, why: 'left' }), remain(id)],
      [],
    ],
    ['of a removal is not that an ID takes the place of an address', [remain('10.0.0.4:8300', id)], []],
    [
      'of an older answer that is cached',
      [cached('MISS', 9), cached('HIT', 12), cached('MISS', 9)],
      ['older answer cached'],
    ],
    [
      'of an older answer that is cached needs an answer of a server, at the same process',
      [cached('HIT', 12), cached('HIT', 9), cached('MISS', 9), fact('process died', { node: 'c1' }), cached('MISS', 7)],
      [],
    ],
    ['of a deposed leader needs an earlier term', [found, message('s1', heartbeat(4))], []],
    [
      'of a deposed leader is seen where its word arrives',
      [found, message('s1', heartbeat(3))],
      ['deposed leader still wrote'],
    ],
    ['of a vote kept over a restart needs the same term', [found, message('s1', asks(5))], []],
    [
      'of a vote kept over a restart is seen when another asks',
      [found, message('s1', asks(4))],
      ['vote kept over a restart'],
    ],
    [
      'of a vote that the log forbids is seen where it is asked for',
      [isAhead, message('s1', asks(4))],
      ['vote refused for the log'],
    ],
    [
      'of a vote that the log forbids is another if the candidate only asks whether it could win',
      [isAhead, message('s1', asks(4, true))],
      ['pre-vote refused for the log'],
    ],
    [
      'of a vote that the log forbids needs a log that is ahead',
      [message('s1', asks(4)), message('s1', asks(4, true))],
      [],
    ],
    ['of a refused append needs a leader of that term', [message('s1', answer(4, false))], []],
    ['of logs that differ is seen at the leader', [leads, message('s1', answer(4, false))], ['logs differed']],
    [
      'of a later term is seen at the leader',
      [leads, message('s1', answer(5, false))],
      ['leader learned of a later term'],
    ],
    [
      'of a transfer needs that the asked one wins',
      [message('s1', { kind: 'timeout-now', term: term(3) }), leads],
      ['leadership transferred'],
    ],
    [
      'of a snapshot names the partition, where there is one',
      [fact('event seen', { node: 's1', event: 'snapshot installed', isCut: true, ...noReplacement })],
      ['snapshot under partition', 'snapshot installed'],
    ],
    [
      'of a snapshot needs no partition',
      [fact('event seen', { node: 's1', event: 'snapshot installed', isCut: false, ...noReplacement })],
      ['snapshot installed'],
    ],
    [
      'of a torn tail is told by the log',
      [fact('process told', { node: 's1', what: 'raft: cut a torn batch from the end of the log' })],
      ['torn tail found'],
    ],
    [
      'of a new segment is seen when its file cannot be made',
      [fails('open', '/data/raft/log/0000000002.log.tmp')],
      ['new segment not made'],
    ],
    ['of a new segment needs that it has no name yet', [fails('open', '/data/raft/log/0000000002.log')], []],
    ['of a new segment needs that it is not opened', [fails('rename', '/data/raft/log/0000000002.log.tmp')], []],
    ['is not told by another line', [fact('process told', { node: 's1', what: 'raft: election won' })], []],
    [
      'of rot needs a damaged disk',
      [fact('process did not start', { node: 's1', isDamaged: false, kind: 'io', ...why })],
      [],
    ],
    [
      'of rot is seen when a server does not start',
      [fact('process did not start', { node: 's1', isDamaged: true, kind: 'io', ...why })],
      ['rot found'],
    ],
    [
      'of two releases is seen when both carry out commands',
      [carried('s1', 3, 'kv.put'), carried('s2', 4, 'kv.put')],
      ['mixed releases'],
    ],
    [
      'of two releases needs both to be up',
      [carried('s1', 3, 'kv.put'), fact('process died', { node: 's1' }), carried('s2', 4, 'kv.put')],
      [],
    ],
    [
      'of a gated command needs a command that came later',
      [carried('s1', 3, 'kv.put'), carried('s2', 4, 'acl.migrate')],
      ['mixed releases', 'gated command among mixed releases'],
    ],
    [
      'of a session that held a lock',
      [locks(1, ['a'], 'a'), locks(2, [], undefined)],
      ['session ended with a lock held'],
    ],
    [
      'of a lock that passed on',
      [locks(1, ['a', 'b'], 'a'), locks(2, ['b'], undefined), locks(3, ['b'], 'b')],
      ['session ended with a lock held', 'lock passed on'],
    ],
    [
      'of a lock that passed on within a transaction',
      [locks(1, ['a', 'b'], 'a'), locks(2, ['a', 'b'], 'b', ['unlock', 'lock'])],
      ['lock passed on within a transaction'],
    ],
    ['of a lock that is held on needs nothing else', [locks(1, ['a', 'b'], 'a'), locks(2, ['a'], 'a')], []],
    [
      'of mixed modes needs a server in each',
      [fact('servers seen', { node: 's1', servers: () => [server('s1', '1'), server('s2', '1')] })],
      [],
    ],
    [
      'of mixed modes is seen by their tags',
      [fact('servers seen', { node: 's1', servers: () => [server('s1', '1'), server('s2', '2')] })],
      ['mixed access mode'],
    ],
  ]
}

function server(name: string, acls: string): ReturnType<Facts['servers seen']['servers']>[number] {
  return { id: name, name, datacenter: 'dc1', status: 'alive', acls }
}

function carried(node: string, minor: number, kind: string): Telling {
  return fact('command carried out', {
    node,
    release: { major: 1, minor, patch: 0 },
    kind,
    index: 7,
    identity: undefined,
  })
}

/** Sessions that there are, the one that holds the key, and the verbs of a transaction that led to it. */
function locks(
  index: number,
  sessions: readonly string[],
  holder: string | undefined,
  verbs: readonly string[] = [],
): Telling {
  return fact('locks changed', {
    index,
    atUs: index * 100_000_000,
    expiry: false,
    sessions: new Map(sessions.map((id) => [id, { ttlMs: 0, lockDelayMs: 0 }])),
    holds: new Map(holder === undefined ? [] : [['key', { session: holder, fence: index }]]),
    lockableOf: () => ({ lockIndex: index, session: holder ?? '' }),
    counted: () => new Map(),
    operations: verbs.map((verb, at) => ({ verb, key: 'key', session: sessions[at] ?? '' })),
  })
}
