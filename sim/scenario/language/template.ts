/** Text in which `${name}` stands for something an earlier step saved. */
export class Template {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Names used, in order. `answer.body` uses `answer`. */
  names(): readonly string[] {
    return [...this.text.matchAll(reference)].map((match) => savedName(match[1] as string))
  }

  /** The text with every reference replaced by what `fill` gives for it. */
  filled(fill: (reference: string) => string): string {
    return this.text.replace(reference, (_, name: string) => fill(name.trim()))
  }
}

const reference = /\$\{([^}]+)\}/g

/** The saved name that a reference such as `answer.body` goes to. */
export function savedName(text: string): string {
  return (text.trim().split('.')[0] as string).trim()
}
