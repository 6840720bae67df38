import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  breaking,
  longLines,
  type ProseLine,
  proseOfLesson,
  proseOfPage,
  proseOfScenario,
  proseOfSource,
  proseRules,
} from '../../tools/lint/prose.ts'
import { projectRoot } from '../../tools/planted.ts'

/** How many lines may still break a rule. A ceiling is only ever lowered: a new line is written without the habit. */
const ceilings = {
  sources: {
    who: 0,
    'told of': 0,
    'so long': 0,
    'telegraphic else': 0,
    nobody: 0,
    'carry out': 0,
    'own accord': 0,
    'all the same': 0,
    'left of': 0,
    'go on with': 0,
    'that is none': 1,
  },
  pages: {
    who: 16,
    'told of': 5,
    'so long': 0,
    'telegraphic else': 8,
    nobody: 28,
    'carry out': 6,
    'own accord': 0,
    'all the same': 6,
    'left of': 0,
    'go on with': 0,
    'that is none': 1,
    long: 2,
  },
  scenarios: {
    who: 0,
    'told of': 0,
    'so long': 0,
    'telegraphic else': 0,
    nobody: 1,
    'carry out': 0,
    'own accord': 0,
    'all the same': 0,
    'left of': 0,
    'go on with': 0,
    'that is none': 0,
  },
  lessons: {
    who: 0,
    'told of': 0,
    'so long': 0,
    'telegraphic else': 0,
    nobody: 0,
    'carry out': 0,
    'own accord': 0,
    'all the same': 0,
    'left of': 0,
    'go on with': 0,
    'that is none': 0,
    long: 0,
  },
} as const

// These two quote what they look for.
const quoting = new Set(['test/tools/lint/prose.ts', 'test/unit/walls/prose.test.ts'])

const tracked = spawnSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((path) => !quoting.has(path) && !path.includes('golden/'))

function proseOf(pattern: RegExp, of: (path: string, text: string) => readonly ProseLine[]): readonly ProseLine[] {
  return tracked
    .filter((path) => pattern.test(path))
    .flatMap((path) => of(path, readFileSync(join(projectRoot, path), 'utf8')))
}

const places = {
  sources: proseOf(/^(?:src|sim|test|bench|bin)\/.*\.(?:ts|mjs|js)$/, proseOfSource),
  pages: proseOf(/\.md$/, proseOfPage),
  scenarios: proseOf(/^scenarios\/.*\.yaml$/, proseOfScenario),
  lessons: [
    ...proseOf(/^lessons\/.*\/lesson\.yaml$/, proseOfLesson),
    ...proseOf(/^lessons\/.*\/(?!lesson\.)[a-z-]+\.yaml$/, proseOfScenario),
  ],
}

/** The first lines that are over the ceiling, where there are any, with what to write instead. */
function over(lines: readonly ProseLine[], ceiling: number, instead: string): readonly string[] {
  if (lines.length <= ceiling) return []
  const shown = lines.slice(0, 40).map(({ place, text }) => `${place}: ${text.trim()}`)
  return [`${lines.length} lines, where ${ceiling} may stay; write: ${instead}`, ...shown]
}

describe('prose that people read', () => {
  it.each(proseRules)('the rule on "$name" finds what is planted, and nothing else', ({ wrong, planted, sound }) => {
    expect(planted.filter((line) => !wrong(line))).toEqual([])
    expect(sound.filter(wrong)).toEqual([])
  })

  it('comments and titles of sources, text of pages, scenarios and lessons, and nothing else, is prose', () => {
    const source = "const who = 1\n/** who */\nit('who', () => {\n  call(who) // who\n"
    expect(proseOfSource('a.ts', source).map(({ place }) => place)).toEqual(['a.ts:2', 'a.ts:3', 'a.ts:4'])
    const page = 'who\n```\nwho\n```\nwho\n'
    expect(proseOfPage('a.md', page).map(({ place }) => place)).toEqual(['a.md:1', 'a.md:5', 'a.md:6'])
    const scenario = 'about: who\n# who\nsteps:\n  - step: who\n    key: who\n'
    expect(proseOfScenario('a.yaml', scenario).map(({ place }) => place)).toEqual(['a.yaml:1', 'a.yaml:2', 'a.yaml:4'])
    const lesson = 'reading: |\n  who\n    says: who\n    hint: who\n'
    expect(proseOfLesson('a.yaml', lesson).map(({ place }) => place)).toEqual([
      'a.yaml:1',
      'a.yaml:2',
      'a.yaml:4',
      'a.yaml:5',
    ])
  })

  it('a line of a page is long when it could be broken', () => {
    const word = 'word '.repeat(30)
    const texts = [word, `| ${word}|`, `[a](b) ${word}`, `${word}https://x.y`, 'short', `\`${word}\``]
    expect(longLines(texts.map((text) => ({ place: 'a.md:1', text }))).map(({ text }) => text)).toEqual([word])
  })

  it.each(['sources', 'pages', 'scenarios', 'lessons'] as const)('%s keep below their ceilings', (kind) => {
    expect(places[kind].length).toBeGreaterThan(1000)
    const wrong = proseRules.flatMap((rule) => {
      const ceiling = ceilings[kind][rule.name as keyof (typeof ceilings)[typeof kind]]
      return over(breaking(rule, places[kind]), ceiling, rule.instead)
    })
    expect(wrong).toEqual([])
  })

  it.each(['pages', 'lessons'] as const)('lines of %s are at most 120 characters, but for tables and links', (kind) => {
    expect(over(longLines(places[kind]), ceilings[kind].long, 'shorter lines')).toEqual([])
  })
})
