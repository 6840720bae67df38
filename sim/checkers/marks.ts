import { accessMarks, accessTold } from './access/access-marks.ts'
import { careMarks, careTold } from './autopilot-marks.ts'
import { lockMarks } from './clients/lock-marks.ts'
import { readerMarks, readersTold } from './clients/reader-marks.ts'
import { commandMarks } from './command-observer.ts'
import { coreMarks } from './core-excuses.ts'
import { keyMarks } from './keys/key-marks.ts'
import { meshTold, rotationMarks } from './mesh/mesh-marks.ts'
import { meshMarks } from './mesh/mesh-meetings.ts'
import { memberMarks, poolTold } from './pool/pool-marks.ts'
import { agentTold, diskTold, processMarks } from './process-marks.ts'
import { fireMarks } from './raft/fire-marks.ts'
import { leadershipMarks } from './raft/leadership.ts'
import { logMarks } from './raft/log-observer.ts'
import { messageMarks, raftTold } from './raft/raft-marks.ts'
import { answerMarks } from './reads/answer-marks.ts'
import { registrationMarks } from './registration-marks.ts'

const all = {
  ...leadershipMarks.marks,
  ...logMarks.marks,
  ...messageMarks.marks,
  ...raftTold.marks,
  ...fireMarks.marks,
  ...coreMarks.marks,
  ...careMarks.marks,
  ...careTold.marks,
  ...processMarks.marks,
  ...diskTold.marks,
  ...memberMarks.marks,
  ...poolTold.marks,
  ...agentTold.marks,
  ...registrationMarks.marks,
  ...commandMarks.marks,
  ...keyMarks.marks,
  ...lockMarks.marks,
  ...readerMarks.marks,
  ...readersTold.marks,
  ...answerMarks.marks,
  ...accessMarks.marks,
  ...accessTold.marks,
  ...meshMarks.marks,
  ...rotationMarks.marks,
  ...meshTold.marks,
}

/**
 * H4. Rare states that a run can reach, each declared beside the code that observes it: what never happens in a
 * simulation is not tested by it.
 */
export const marks: Readonly<Record<Mark, string>> = all

export type Mark = keyof typeof all

/** How a process reports a mark: `topic: text` of a line of its log, or the name of a counter. Others are observed. */
export const toldBy: Readonly<Partial<Record<string, string>>> = {
  ...raftTold.toldBy,
  ...careTold.toldBy,
  ...diskTold.toldBy,
  ...poolTold.toldBy,
  ...agentTold.toldBy,
  ...readersTold.toldBy,
  ...accessTold.toldBy,
  ...meshTold.toldBy,
}

/** Each once, in the order of the table. */
export function inOrder(reached: Iterable<string>): readonly Mark[] {
  const names = new Set(reached)
  return (Object.keys(marks) as Mark[]).filter((mark) => names.has(mark))
}
