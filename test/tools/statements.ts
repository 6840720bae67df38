import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './planted.ts'

/** The folder with the statements of the specification, one page an area. */
const statementsFolder = 'docs/reference/statements'

/** One area of the specification, as its page has it. */
export interface Area {
  /** The page's file name within `statementsFolder`. */
  readonly page: string
  readonly title: string
  readonly statements: readonly Statement[]
}

/** `text` is the statement in Markdown, with links as they are on its page. */
export interface Statement {
  readonly id: string
  readonly text: string
}

/** Reads every area, in the order of the reference's index. */
export function areas(): readonly Area[] {
  const index = readFileSync(join(projectRoot, 'docs/reference/README.md'), 'utf8')
  const listed = [...index.matchAll(/\]\(statements\/([\w-]+\.md)\)/g)].map(([, page = '']) => page)
  const unlisted = readdirSync(join(projectRoot, statementsFolder)).filter((page) => !listed.includes(page))
  return [...listed, ...unlisted].map(areaOf)
}

function areaOf(page: string): Area {
  const text = readFileSync(join(projectRoot, statementsFolder, page), 'utf8')
  const rows = text.matchAll(/^\| <a id="([a-z]+-\d+)"><\/a>([A-Z]+-\d+) \| (.*?) \| /gm)
  return {
    page,
    title: /^# (.*)$/m.exec(text)?.[1] ?? page,
    statements: [...rows].map(([, , id = '', statement = '']) => ({ id, text: statement })),
  }
}
