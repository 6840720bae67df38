import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorsOf } from './page-anchors.ts'
import { projectRoot } from './planted.ts'
import { areas } from './statements.ts'

/** What a source cites: a fact (`dns.md#fact-52`), a statement (`CA-024`), or what is written in none of the forms. */
export interface Citation {
  readonly line: number
  readonly of: 'fact' | 'statement' | 'nothing'
  readonly to: string
}

const comments = /\/\*[\s\S]*?\*\/|(?:(?:^|\n)[ \t]*\/\/[^\n]*)+/g
const opening = /\b(?:Reference|Spec)(?::|,(?= [\w/]+ \d))/gi
const facts = /^Reference:((?: [a-z-]+\.md#[\w.-]*\w,?)+)/
const statements = /^Spec:((?: [A-Z]{2,3}-\d{3}\b,?)+)/
const statementIds = /\b(?:AGT|MEM|CAT|HLT|REG|CFG|DNS|HTP|ACL|CA|FED|KV|RFT|CLI|TEL|UPG|LIM)-\d{3}\b/g
const releaseRows = /\bREL-\d[\d.]*-\d+\b/g
const titleIds = /\[[A-Z]{2,3}-\d{3}(?:[ ,]+[A-Z]{2,3}-\d{3})*\]/g

/**
 * All citations of a source: those that its comments make by the word for a fact or for a statement and a colon, and
 * every ID of a statement or a row of the page of releases anywhere in it, titles of tests among them.
 */
export function citationsOf(source: string): readonly Citation[] {
  const lineAt = (at: number): number => source.slice(0, at).split('\n').length
  const inComments = [...source.matchAll(comments)].flatMap((comment) => citedIn(comment[0], lineAt(comment.index)))
  const mentioned = [...source.matchAll(statementIds), ...idsInTitles(source)].map(
    ({ 0: to, index }): Citation => ({ line: lineAt(index), of: 'statement', to }),
  )
  const rows = [...source.matchAll(releaseRows)].map(
    ({ 0: row, index }): Citation => ({ line: lineAt(index), of: 'fact', to: `releases.md#${row.toLowerCase()}` }),
  )
  return [...inComments, ...mentioned, ...rows]
}

/** IDs in titles, of whatever area, so that an unknown one is found. */
function idsInTitles(source: string): readonly { readonly 0: string; readonly index: number }[] {
  return [...source.matchAll(titleIds)].flatMap(({ 0: brackets, index }) =>
    (brackets.match(/[A-Z]{2,3}-\d{3}/g) ?? []).map((id) => ({ 0: id, index })),
  )
}

function citedIn(comment: string, firstLine: number): readonly Citation[] {
  return [...comment.matchAll(opening)].flatMap(({ index }): readonly Citation[] => {
    const line = firstLine + comment.slice(0, index).split('\n').length - 1
    const rest = comment.slice(index).replace(/\s*\n\s*(?:\*|\/\/)? ?/g, ' ')
    const fact = facts.exec(rest)?.[1]
    if (fact !== undefined) return listed(fact).map((to) => ({ line, of: 'fact', to }))
    return statements.test(rest) ? [] : [{ line, of: 'nothing', to: rest.slice(0, 60) }]
  })
}

const listed = (text: string): readonly string[] =>
  text
    .trim()
    .split(/,? /)
    .map((to) => to.replace(/,$/, ''))

/** Says of a citation why it leads nowhere; undefined: it resolves. */
export function resolver(): (citation: Citation) => string | undefined {
  const ids = new Set(areas().flatMap((area) => area.statements.map(({ id }) => id)))
  const pages = new Map<string, ReadonlySet<string>>()
  return ({ of, to }) => {
    if (of === 'nothing')
      return `"${to}" cites neither a fact (Reference: dns.md#fact-52) nor a statement (Spec: CA-024)`
    if (of === 'statement')
      return ids.has(to) ? undefined : `no statement in docs/reference/statements has the ID ${to}`
    const [page = '', anchor = ''] = to.split('#')
    const anchors = pages.get(page) ?? anchorsOn(page)
    pages.set(page, anchors)
    return anchors.has(anchor) ? undefined : `docs/reference/${page} has no anchor "${anchor}"`
  }
}

function anchorsOn(page: string): ReadonlySet<string> {
  try {
    return anchorsOf(readFileSync(join(projectRoot, 'docs/reference', page), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return new Set()
  }
}
