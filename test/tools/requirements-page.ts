import { basename } from 'node:path'
import { filesClaiming } from './breakages/claims.ts'
import { type Area, areas, type Statement } from './statements.ts'

const introduction = `# Requirements

Each statement of the interface specification, and the files with the tests that show it. Such a test carries the ID
in brackets in its title; where one test stands for a list of cases or scenarios, its ID may be in the module that
lists them. To run the tests of one statement: \`npx vitest run <file> -t CAT-022\`.

The IDs lead to [the statements](reference/README.md#statements), which also say how a test sees each of them. This
page is made from them and from the titles of the tests: \`SVC_WRITE_DOCS=1 npx vitest run test/unit/walls\` writes it.
`

/**
 * The page docs/requirements.md, whole. It names files, and not titles or counts, so that few changes of tests change
 * it.
 */
export function requirementsPage(): string {
  return [introduction, ...areas().map(sectionOf)].join('\n')
}

function sectionOf(area: Area): string {
  const rows = area.statements.map((statement) => rowOf(area, statement))
  return [`## ${area.title}\n`, '| ID | Statement | Tests |', '|---|---|---|', ...rows, ''].join('\n')
}

function rowOf({ page }: Area, { id, text }: Statement): string {
  const own = `reference/statements/${page}`
  const files = filesClaiming(id).toSorted()
  const tests = files.map((file) => `[${basename(file, '.test.ts')}](../${file})`)
  return `| [${id}](${own}#${id.toLowerCase()}) | ${fromDocs(text, own)} | ${tests.join(', ')} |`
}

/** The links of a statement as they are seen from the folder of the page. */
function fromDocs(text: string, own: string): string {
  return text.replace(/\]\((#|\.\.\/)?([^)]+)\)/g, (_, lead: string | undefined, rest: string) => {
    if (lead === '#') return `](${own}#${rest})`
    return lead === undefined ? `](reference/statements/${rest})` : `](reference/${rest})`
  })
}
