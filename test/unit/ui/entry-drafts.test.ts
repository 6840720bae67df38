import { describe, expect, it } from 'vitest'
import type { QueryDefinition } from '../../../src/http/ui/page/api/access-shapes.ts'
import type { Intention } from '../../../src/http/ui/page/api/intention-shapes.ts'
import * as intentionDraft from '../../../src/http/ui/page/pages/intentions/intention-draft.ts'
import { bodyOf, queryDraft } from '../../../src/http/ui/page/pages/queries/query-draft.ts'

describe('a query that is changed in its form', () => {
  const tags = ['traefik.rule=Host:a,b', ' v2', 'a,b', 'a']
  const query = {
    ID: 'q',
    Name: 'web',
    DNS: { TTL: '' },
    Service: { Service: 'web', Tags: tags, Failover: { NearestN: 0, Datacenters: ['dc2', 'dc3'] } },
  } as unknown as QueryDefinition
  const tagsAfter = (text?: string) => {
    const draft = queryDraft(query)
    return bodyOf(query, { ...draft, name: 'other', ...(text === undefined ? {} : { tags: text }) })
  }

  it('keeps a list that is not touched as it is', () => {
    expect(tagsAfter()).toMatchObject({
      Name: 'other',
      Service: { Tags: tags, Failover: { Datacenters: ['dc2', 'dc3'] } },
    })
  })

  it('keeps tags with commas where others are added or removed', () => {
    const text = queryDraft(query).tags
    expect(tagsAfter(`${text}, more`)).toMatchObject({ Service: { Tags: [...tags.map((tag) => tag.trim()), 'more'] } })
    expect(tagsAfter('a,b,v3,,x')).toMatchObject({ Service: { Tags: ['a,b', 'v3', 'x'] } })
    expect(tagsAfter('a,bc')).toMatchObject({ Service: { Tags: ['a', 'bc'] } })
    expect(tagsAfter('')).toMatchObject({ Service: { Tags: [] } })
  })
})

describe('an intention that is changed in its form', () => {
  it('keeps metadata that is not touched as it is', () => {
    const Meta = { note: 'two\nlines=2', space: ' x ' }
    const intention = { ID: 'i', SourceName: 'a', DestinationName: 'b', Action: 'deny', Description: '', Meta } as const
    const typed = { ...intentionDraft.fieldsOf(intention as unknown as Intention), action: 'allow' }
    expect(intentionDraft.blockedOf(typed, Meta)).toBeUndefined()
    expect(intentionDraft.bodyOf(typed, Meta)).toMatchObject({ Action: 'allow', Meta })
    const other = { ...typed, meta: 'a=1\nno pair' }
    expect(intentionDraft.blockedOf(other, Meta)).toBeDefined()
    expect(intentionDraft.bodyOf({ ...other, meta: 'a=1' }, Meta)).toMatchObject({ Meta: { a: '1' } })
    expect(intentionDraft.bodyOf({ ...other, meta: '' }, undefined)).toMatchObject({ Meta: {} })
  })
})
