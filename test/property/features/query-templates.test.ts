import { describe, expect, it } from 'vitest'
import { queryCreate, queryDelete } from '../../../src/features/query/commands.ts'
import type { QueryDefinition, QueryRow } from '../../../src/features/query/model.ts'
import { renderTemplate } from '../../../src/features/query/template.ts'
import { resolveQuery } from '../../../src/features/query/views.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 10_000 : 150

const plainService = {
  service: 'web',
  failover: { nearestN: 0, datacenters: null },
  onlyPassing: false,
  ignoreCheckIds: null,
  near: '',
  tags: null,
  nodeMeta: null,
  connect: false,
}

function definition(name: string, type: string, service: object = {}, regexp = ''): QueryDefinition {
  return {
    name,
    session: '',
    token: '',
    template: { type, regexp, removeEmptyTags: false },
    service: { ...plainService, ...service },
    dns: { ttl: '' },
  }
}

describe('which query a name stands for', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '-', 'é', '😀', '\0'), maxLength: 5 })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), name, template: fc.boolean() }) },
    fc.record({ do: fc.constant('delete' as const), at: fc.nat({ max: 9 }) }),
  )

  it('is that of its exact name, else the template with the longest name that it begins with', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(name, { minLength: 1 }), async (steps, asked) => {
        const server = new LoneServer()
        const known = new Map<string, { readonly name: string; readonly template: boolean }>()
        for (const [at, todo] of steps.entries()) {
          if (todo.do === 'delete') {
            const id = [...known.keys()][todo.at]
            if (id !== undefined) await server.context.propose(queryDelete, { id })
            if (id !== undefined) known.delete(id)
            continue
          }
          // What is no template needs a name; whether it has one is judged before the command.
          if (todo.name === '' && !todo.template) continue
          const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
          const body = { id, ...definition(todo.name, todo.template ? 'name_prefix_match' : '') }
          const taken = [...known.values()].some(
            (other) => lower(other.name) === lower(todo.name) && (todo.name !== '' || other.template),
          )
          const outcome = await server.context.propose(queryCreate, body)
          expect(outcome.ok && 'refusal' in outcome.value).toBe(taken)
          if (!taken) known.set(id, todo)
        }
        for (const wanted of asked) expect(idFor(server, wanted)).toBe(modelFor(known, wanted))
      }),
      { numRuns: runs },
    )
  })

  function lower(text: string): string {
    return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  }

  function idFor(server: LoneServer, wanted: string): string | undefined {
    const resolved = resolveQuery(server.read(), wanted, '')
    return resolved.kind === 'found' ? resolved.query.id : undefined
  }

  function modelFor(
    known: ReadonlyMap<string, { readonly name: string; readonly template: boolean }>,
    wanted: string,
  ): string | undefined {
    if (wanted === '') return undefined
    const exact = [...known].find(([, query]) => lower(query.name) === lower(wanted))
    const beginning = [...known]
      .filter(([, query]) => query.template && lower(wanted).startsWith(lower(query.name)))
      .sort(([, a], [, b]) => b.name.length - a.name.length)
    return (exact ?? beginning[0])?.[0]
  }
})

describe('what a template makes of a name', () => {
  const literal = fc.string({ unit: fc.constantFrom('a', '$', '{', '}', '"', '(', 'é'), maxLength: 4 })
  const piece = fc.oneof(
    // A dollar sign right before an interpolation would be read as part of an escape.
    literal.filter((text) => !text.endsWith('$')).map((text) => ({ kind: 'text' as const, text })),
    fc.constantFrom('name.full', 'name.prefix', 'name.suffix', 'agent.segment').map((name) => {
      return { kind: 'variable' as const, name }
    }),
    fc.integer({ min: -1, max: 4 }).map((group) => ({ kind: 'match' as const, group })),
  )
  const pieces = fc.array(piece, { maxLength: 5 })
  type Pieces = readonly { kind: string; text?: string; name?: string; group?: number }[]
  /** Expressions that mean the same in both languages. */
  const regexp = fc.constantFrom('', '^(a+)-(.*)$', '(b+)(c)?', 'geo-(.*?)-([^-]+?)$', '(x)|(a)')
  const prefix = fc.constantFrom('', 'a', 'geo-')
  const suffix = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', 'é'), maxLength: 6 })

  it('is each text with its places filled in, and nothing else changed', () => {
    fc.assert(
      fc.property(prefix, suffix, regexp, pieces, pieces, pieces, (name, rest, expression, service, tag, value) => {
        const full = name + rest
        const meaning: Readonly<Record<string, string>> = {
          'name.full': full,
          'name.prefix': name,
          'name.suffix': rest,
          'agent.segment': 'alpha',
        }
        const groups = expression === '' ? [] : (new RegExp(expression, 'u').exec(full) ?? [])
        const filled = (parts: Pieces): string =>
          parts.map((part) => part.text ?? meaning[part.name ?? ''] ?? groups[part.group ?? -1] ?? '').join('')
        const row = definition(
          name,
          'name_prefix_match',
          {
            service: written(service),
            near: written(tag),
            tags: [written(tag), 'x'],
            nodeMeta: [['zone', written(value)]],
            failover: { nearestN: 1, datacenters: [written(value)] },
          },
          expression,
        )
        const rendered = renderTemplate(row as QueryRow, full, 'alpha')
        expect(rendered).toEqual({
          ok: true,
          value: {
            ...row,
            service: {
              ...row.service,
              service: filled(service),
              near: filled(tag),
              tags: [filled(tag), 'x'],
              nodeMeta: [['zone', filled(value)]],
              failover: { nearestN: 1, datacenters: [filled(value)] },
            },
          },
        })
      }),
      { numRuns: runs },
    )
  })

  it('any text is either rendered or refused, and one without a dollar sign stands for itself', () => {
    const text = fc.string({
      unit: fc.constantFrom('$', '{', '}', 'm', 'match(1)', ' ', '.', 'name.full'),
      maxLength: 8,
    })
    fc.assert(
      fc.property(text, (service) => {
        const rendered = renderTemplate(definition('', 'name_prefix_match', { service }), 'abc', '')
        if (!service.includes('$')) expect(rendered).toMatchObject({ ok: true, value: { service: { service } } })
        else if (!rendered.ok) expect(rendered.error).toMatch(/^Bad (format|evaluation for) '/)
      }),
      { numRuns: runs },
    )
  })

  function written(parts: Pieces): string {
    return parts
      .map((part) => {
        if (part.text !== undefined) return part.text.split('${').join('$${')
        return part.name === undefined ? `\${match(${part.group})}` : `\${${part.name}}`
      })
      .join('')
  }
})
