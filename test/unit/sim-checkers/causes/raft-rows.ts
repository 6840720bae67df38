import { ConfigurationChanges } from '../../../../sim/checkers/raft/configuration-changes.ts'
import { DurableTerms } from '../../../../sim/checkers/raft/durable-terms.ts'
import { LeaderAppendOnly } from '../../../../sim/checkers/raft/leader-append-only.ts'
import { LogMatching } from '../../../../sim/checkers/raft/log-matching.ts'
import { StateMachineSafety } from '../../../../sim/checkers/raft/state-machine-safety.ts'
import { logIndexOf, termOf } from '../../../../src/model/log-position.ts'
import { entry } from '../reports.ts'
import type { CauseRow } from './row.ts'

const [two, five] = [logIndexOf(2), logIndexOf(5)]
const term = termOf(3)

const voters = (...ids: readonly string[]) => ({
  servers: ids.map((id) => ({ id, address: id, suffrage: 'voter' as const })),
})

/** Laws of consensus. */
export const raftRows: readonly CauseRow[] = [
  [
    'R2',
    [11],
    (judge, at) => {
      const law = new LeaderAppendOnly(judge)
      at(11)
      law.becameLeader('s1', term)
      at(12)
      law.truncated('s1', two)
    },
  ],
  [
    'R3',
    [11],
    (judge, at) => {
      const law = new LogMatching(judge)
      at(11)
      law.appended('s1', five, term, 1)
      at(12)
      law.appended('s2', five, term, 2)
    },
  ],
  [
    'R5',
    [11],
    (judge, at) => {
      const law = new StateMachineSafety(judge)
      at(11)
      law.applied('s1', entry(1, 3, 'a'))
      at(12)
      law.applied('s2', entry(1, 3, 'b'))
    },
  ],
  [
    'R5',
    [11],
    (judge, at) => {
      const law = new StateMachineSafety(judge)
      at(11)
      law.applied('s1', entry(1, 3, 'a'))
      at(12)
      law.applied('s1', entry(3, 3, 'b'))
    },
  ],
  [
    'R6',
    [11],
    (judge, at) => {
      const law = new DurableTerms(judge)
      at(11)
      law.logWritten('s1')
      at(12)
      law.lostLog('s1', two, five)
    },
  ],
  [
    'R7',
    [11],
    (judge, at) => {
      const law = new ConfigurationChanges(judge)
      at(11)
      law.appended('s1', two, term, voters('a') as never)
      at(12)
      law.appended('s1', five, term, voters('a', 'b', 'c') as never)
    },
  ],
]
