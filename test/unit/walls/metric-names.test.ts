import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

/** Names of metrics as the program writes them, before their prefix. */
function namesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  return [...text.matchAll(/metrics\??\.(?:count|gauge|sample)\('([A-Za-z0-9_.-]+)'/g)].map(
    ([, name]) => name as string,
  )
}

it('pages for operators name metrics as agents print them, with their prefix', () => {
  const names = namesIn(join(projectRoot, 'src'))
  expect(names.length).toBeGreaterThan(40)
  const pages = readdirSync(join(projectRoot, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'divergences.md',
  )
  const bare = pages.flatMap((page) => {
    const text = readFileSync(join(projectRoot, 'docs', page), 'utf8')
    return names.filter((name) => text.includes(`\`${name}\``)).map((name) => `${page}: ${name}`)
  })
  expect([...new Set(bare)]).toEqual([])
})
