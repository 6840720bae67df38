/** A line of prose: of a comment, the title of a test, a page in Markdown or a scenario. */
export interface ProseLine {
  readonly place: string
  readonly text: string
}

export interface ProseRule {
  readonly name: string
  readonly wrong: (line: string) => boolean
  /** What to write in its place. */
  readonly instead: string
  readonly planted: readonly string[]
  readonly sound: readonly string[]
}

/** Habits of prose that a pattern can find. The rest is for a reader. */
export const proseRules: readonly ProseRule[] = [
  {
    name: 'who',
    wrong: (line) => /\b(?:who|whom|whoever)\b/i.test(line),
    instead: 'name the thing: the caller, the agent, the follower, the token',
    planted: ['/** Answers who asks. */', '// Whoever signed it', ' * the server of whom it is'],
    sound: ['/** Answers the caller, whose token may. */', '// the whole'],
  },
  {
    name: 'told of',
    wrong: (line) => /\btold of\b/i.test(line),
    instead: 'reported, logged, warned about',
    planted: ['// An error is told of once.'],
    sound: ['// It is told once. Of these, one.'],
  },
  {
    name: 'so long',
    wrong: (line) => /\bso long\b(?! (?:that|as|ago)\b)/i.test(line),
    instead: 'the limit, the interval, the timeout',
    planted: ['/** A reply is waited for so long. */'],
    sound: ['// so long that it is given up', '/** Holds so long as the lease lives. */'],
  },
  {
    name: 'telegraphic else',
    wrong: (line) => /[;:] else\b/.test(line),
    instead: 'a sentence: Returns the certificate, or why the bytes are not one',
    planted: ['/** The certificate; else in what it is none. */'],
    sound: ['// or else it waits', '// whatever else'],
  },
]

const commentLine = /^\s*(?:\/\/|\/?\*)|\s\/\/ /
const titleLine = /^\s*(?:it|describe|test)(?:\.\w+)*\(/

/**
 * The lines of a source in TypeScript or JavaScript that people read as prose: its comments and the titles of its
 * tests.
 */
export function proseOfSource(path: string, text: string): readonly ProseLine[] {
  return numbered(path, text).filter(({ text }) => commentLine.test(text) || titleLine.test(text))
}

/** The lines of a page outside blocks of code. */
export function proseOfPage(path: string, text: string): readonly ProseLine[] {
  let inCode = false
  return numbered(path, text).filter(({ text }) => {
    const fence = /^\s*```/.test(text)
    if (fence) inCode = !inCode
    return !fence && !inCode
  })
}

/** The lines of a scenario: comments, what it is about and the names of its steps. */
export function proseOfScenario(path: string, text: string): readonly ProseLine[] {
  return numbered(path, text).filter(({ text }) => /^\s*#|^about:|^ {2}[A-Z]|\bstep: /.test(text))
}

/** What a line may be long for: a table, a link, or a word of code that cannot be broken. */
const mayBeLong = /^\s*\||\]\([^)]*\)|^\[[^\]]+\]: |https?:\/\/|`[^`]{80,}`/

/** Lines of a page that are wider than people read. */
export function longLines(lines: readonly ProseLine[]): readonly ProseLine[] {
  return lines.filter(({ text }) => text.length > 120 && !mayBeLong.test(text))
}

export function breaking(rule: ProseRule, lines: readonly ProseLine[]): readonly ProseLine[] {
  return lines.filter(({ text }) => rule.wrong(text))
}

function numbered(path: string, text: string): readonly ProseLine[] {
  return text.split('\n').map((line, index) => ({ place: `${path}:${index + 1}`, text: line }))
}
