import type { ExcuseNames, Judge } from '../../../../sim/checkers/checker.ts'

/** A history that breaks a law: the code of the law, the events that the violation must name, and the history. */
export type CauseRow = readonly [
  code: string,
  causes: readonly number[],
  play: (judge: Judge<ExcuseNames>, at: (event: number) => void) => void,
]
