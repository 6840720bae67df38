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
  {
    name: 'nobody',
    wrong: (line) => /\b(?:some|any|no|every)body\b/i.test(line),
    instead: 'name the thing: no server answers, a client writes, without a holder, for every caller',
    planted: ['/** Absent: nobody looks. */', '// Somebody was faster.', "it('is open to everybody', () => {"],
    sound: ['// no body of a request', '// a body that any client sent', '/** `nobodyListens` */'],
  },
  {
    name: 'carry out',
    wrong: (line) => /\bcarr(?:y|ies|ied|ying) out\b/i.test(line),
    instead: 'applied (an entry), performed (an effect), executed (a command), run',
    planted: ['/** Carries out the commands of a log. */', '// an entry that is carried out'],
    sound: ['// It carries outgoing packets.', '// what each entry carries'],
  },
  {
    name: 'own accord',
    wrong: (line) => /\bof (?:its|their|one's) own accord\b/i.test(line),
    instead: 'without a request',
    planted: ['// what the agent sends of its own accord'],
    sound: ['// in a turn of its own'],
  },
  {
    name: 'all the same',
    wrong: (line) => /\ball the same\b/i.test(line),
    instead: 'nevertheless, still; equal, where it says that things are',
    planted: ['// The service is registered all the same.'],
    sound: ['// the same for all', '// all of the same kind'],
  },
  {
    name: 'left of',
    wrong: (line) => /\bwhat (?:is|was) left of\b/i.test(line),
    instead: 'the rest of, the remaining',
    planted: ['/** What is left of the document. */'],
    sound: ['// what is left out', '// the bytes that are left'],
  },
  {
    name: 'go on with',
    wrong: (line) => /\b(?:go|goes|going|went|gone) on with\b/i.test(line),
    instead: 'continue with',
    planted: ['// Times at which it goes on with other chance.', "it('goes on with its own lines', () => {"],
    sound: ['// The run continues with others.', '// goes on without it'],
  },
  {
    name: 'that is none',
    wrong: (line) => /\b(?:that|which) is none\b/i.test(line),
    instead: 'malformed, unknown, invalid, no longer the leader',
    planted: ["it('refuses a key that is none', () => {"],
    sound: ['// There is none.', '// the answer is nonempty'],
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

/** The lines of a lesson, all of which a student reads: texts, questions, choices and hints. */
export function proseOfLesson(path: string, text: string): readonly ProseLine[] {
  return numbered(path, text).filter(({ text }) => !/^\s*(?:says|bug|page|replace|by|request|answer): /.test(text))
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
