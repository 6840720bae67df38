/** One thing wrong with the configuration: where, what, and what to do. Each is shown as one line. */
export interface ConfigProblem {
  /** `-flag`, or `file:line:column`. */
  readonly place: string
  readonly message: string
  readonly remedy: string
}

/** One line, whatever a file or a name in it holds. */
export function problemText({ place, message, remedy }: ConfigProblem): string {
  const parts = [place, message, remedy].filter((part) => part !== '')
  return parts.join(': ').replace(controls, (character) => JSON.stringify(character).slice(1, -1))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u001f\u007f]/g
