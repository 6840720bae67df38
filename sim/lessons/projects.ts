/** What grades a project. */
export type ProjectKind = 'checker' | 'mend' | 'failover'

/** A longer piece of work than a lesson. Its text, and the files from which a student starts, are in its folder. */
export interface Project {
  readonly number: number
  /** The name of its folder in `lessons/projects`. */
  readonly name: string
  readonly title: string
  /** How long students need, in hours. */
  readonly hours: string
  readonly kind: ProjectKind
  /** The files of its folder that a student gets; the others are for the check. */
  readonly files: readonly string[]
}

export const projects: readonly Project[] = [
  {
    number: 1,
    name: '1-checker',
    title: 'Write a checker',
    hours: '6 to 10',
    kind: 'checker',
    files: ['README.md', 'checker.mjs', 'example.jsonl'],
  },
  {
    number: 2,
    name: '2-mend',
    title: 'Find and mend a bug in the agent',
    hours: '4 to 8',
    kind: 'mend',
    files: ['README.md', 'sleepers.yaml'],
  },
  {
    number: 3,
    name: '3-failover',
    title: 'Test the failover of a client',
    hours: '4 to 8',
    kind: 'failover',
    files: ['README.md', 'client.mjs', 'failover.test.mjs'],
  },
]

/** The result of a check. */
export interface Grade {
  readonly passed: boolean
  readonly lines: readonly string[]
}

/** Finds a project by number or name. */
export function projectNamed(text: string): Project | undefined {
  return projects.find(({ number, name }) => String(number) === text || name === text)
}
