/** One thing wrong with the configuration: where, what, and what to do. Each is shown as one line. */
export interface ConfigProblem {
  /** `-flag`, or `file:line:column`. */
  readonly place: string
  readonly message: string
  readonly remedy: string
}

export function problemText(problem: ConfigProblem): string {
  const place = problem.place === '' ? '' : `${problem.place}: `
  return problem.remedy === '' ? `${place}${problem.message}` : `${place}${problem.message}: ${problem.remedy}`
}
