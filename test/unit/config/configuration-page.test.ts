import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentFlags } from '../../../src/config/agent-flags.ts'
import { configJsonSchema } from '../../../src/config/json-schema.ts'
import { configKeys } from '../../../src/config/schema.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { configurationTables, filledConfigurationPage } from '../../tools/configuration-page.ts'
import { projectRoot } from '../../tools/planted.ts'

const pagePath = join(projectRoot, 'docs/configuration.md')
const schemaPath = join(projectRoot, 'docs/configuration.schema.json')
const rewrites = process.env['SVC_WRITE_DOCS'] === '1'

interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

describe('the page of the configuration', () => {
  it('has the tables that hold now; SVC_WRITE_DOCS=1 writes them', () => {
    const page = readFileSync(pagePath, 'utf8')
    const filled = filledConfigurationPage(page)
    if (rewrites) writeFileSync(pagePath, filled)
    else expect(page).toBe(filled)
    for (const name of configurationTables().keys()) expect(page).toContain(`<!-- table: ${name} -->`)
  })

  it('names every key, and the flag of each that has one', () => {
    const page = readFileSync(pagePath, 'utf8')
    const names = configKeys().filter(({ name }) => !name.startsWith('watches[]'))
    expect(names.filter(({ name }) => !page.includes(`| \`${name}\` |`)).map(({ name }) => name)).toEqual([])
    const flags = agentFlags.filter(({ path }) => path !== undefined)
    expect(flags.filter(({ name }) => !page.includes(`| \`-${name}\` |`)).map(({ name }) => name)).toEqual([])
  })
})

describe('the JSON Schema of the configuration', () => {
  it('stands beside the page, and is that which holds now', () => {
    const schema = configJsonSchema(svcNaming)
    if (rewrites) writeFileSync(schemaPath, `${JSON.stringify(schema, undefined, 2)}\n`)
    else expect(JSON.parse(readFileSync(schemaPath, 'utf8'))).toEqual(schema)
  })

  it('has every key where files have it, and no other beside them', () => {
    const schema: Node = JSON.parse(JSON.stringify(configJsonSchema(svcNaming)))
    const at = (name: string): Node | undefined =>
      name.split('.').reduce<Node | undefined>((node, part) => {
        const member = node?.properties?.[part.replace('[]', '')]
        return part.endsWith('[]') ? member?.items : member
      }, schema)
    expect(configKeys().filter(({ name }) => at(name) === undefined)).toEqual([])
    expect(schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { log_level: { type: 'string', default: 'INFO', 'x-reload': true }, acl_token: { deprecated: true } },
      $defs: { check: { properties: { tls_skip_verify: { type: 'boolean' } }, additionalProperties: false } },
    })
  })
})
