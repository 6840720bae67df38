import { describe, expect, it } from 'vitest'
import type { HeldIntention, IntentionChange } from '../../../sim/checkers/intentions/intention-facts.ts'
import { deciding } from '../../../sim/checkers/intentions/intention-judge.ts'
import { IntentionLaws } from '../../../sim/checkers/intentions/intention-laws.ts'
import { recorder } from './reports.ts'

const second = 1_000_000

function held(id: string, ends: string, action: 'allow' | 'deny', description = id): HeldIntention {
  const [source = '', destination = ''] = ends.split(' => ')
  return { id, source, destination, action, description }
}

function lawsOf(contactS: number | 'none' = 1) {
  const { judge, lines, counts } = recorder()
  const now = { us: 0 }
  const contact = { sinceS: contactS, changedUs: 0, byAllUs: Number.POSITIVE_INFINITY }
  const contactSinceUs = (): number | undefined => (contact.sinceS === 'none' ? undefined : contact.sinceS * second)
  const laws = new IntentionLaws({ ...judge, nowUs: () => now.us, contactSinceUs, staleDefaultMs: 0 }, contact)
  laws.settings(false)
  return {
    lines,
    counts,
    laws,
    contact,
    changed: (atS: number, id: string, ...all: readonly HeldIntention[]) => {
      now.us = atS * second
      laws.changed(all, id)
    },
    restored: (atS: number, ...all: readonly HeldIntention[]) => {
      now.us = atS * second
      laws.replaced(all)
    },
    answered: (kind: IntentionChange['kind'], atS: number, given: Partial<IntentionChange>) =>
      laws.answered({
        agent: 's1',
        kind,
        id: '',
        wanted: undefined,
        outcome: 'done',
        calledUs: atS * second,
        endedUs: (atS + 1) * second,
        ...given,
      }),
    began: (atS: number) => {
      now.us = atS * second
      laws.began('s1')
    },
    asked: (how: 'check' | 'authorize', ends: string, isAllowed: boolean, atS: number, ageS?: number) => {
      const [source = '', destination = ''] = ends.split(' => ')
      const [calledUs, endedUs] = [atS * second, atS * second + 1_000]
      laws.decided({ agent: 's1', how, source, destination, isAllowed, ageS, calledUs, endedUs })
    },
  }
}

const webToDb = 'default/web => default/db'

describe('the judge of intentions', () => {
  const all = [
    held('exact', webToDb, 'deny'),
    held('from all', '*/* => default/db', 'allow'),
    held('to all', 'default/web => default/*', 'deny'),
    held('all', '*/* => */*', 'allow'),
  ]

  it.each([
    ['default/WEB', 'default/db', 'exact'],
    ['default/api', 'default/Db', 'from all'],
    ['default/web', 'default/api', 'to all'],
    ['other/web', 'other/db', 'all'],
  ])('lets %s => %s be decided by the intention %s', (source, destination, id) => {
    expect(deciding(all, source, destination)?.id).toBe(id)
    expect(deciding([...all].reverse(), source, destination)?.id).toBe(id)
  })

  it('knows of none where none speaks of both', () => {
    expect(deciding(all.slice(0, 3), 'default/api', 'default/web')).toBeUndefined()
  })
})

describe('C7, what becomes of intentions', () => {
  it('takes changes that are there when they are acknowledged', () => {
    const { laws, changed, answered, lines } = lawsOf()
    expect(laws).toBeDefined()
    changed(5, 'a', held('a', webToDb, 'allow', 'first'))
    answered('create', 5, { id: 'a', wanted: held('a', 'default/WEB => default/db', 'allow', 'first') })
    changed(7, 'a', held('a', webToDb, 'deny', 'second'))
    answered('update', 7, { id: 'a', wanted: held('a', webToDb, 'deny', 'second') })
    answered('create', 8, { wanted: held('', webToDb, 'deny', 'third'), outcome: 'duplicate' })
    changed(9, 'a')
    answered('delete', 9, { id: 'a' })
    expect(lines).toEqual([])
  })

  it('reports two of one pair, whatever their case', () => {
    const { changed, lines } = lawsOf()
    changed(5, 'a', held('a', webToDb, 'allow'))
    changed(6, 'b', held('a', webToDb, 'allow'), held('b', 'default/Web => default/db', 'deny'))
    expect(lines.join()).toMatch(/^C7: default\/web => default\/db has two intentions, a and b/)
  })

  it('reports a change of another than the named one', () => {
    const { changed, lines } = lawsOf()
    changed(5, 'a', held('a', webToDb, 'allow'))
    changed(6, 'b', held('b', 'default/api => default/db', 'allow'))
    expect(lines.join()).toMatch(/^C7: a command about b has changed a, too/)
  })

  it('reports what was acknowledged and is not so', () => {
    const wanted = held('a', webToDb, 'allow')
    const { changed, answered, lines } = lawsOf()
    answered('create', 5, { id: 'a', wanted })
    changed(7, 'a', wanted)
    answered('update', 8, { id: 'a', wanted: { ...wanted, action: 'deny' } })
    answered('delete', 8, { id: 'a' })
    expect(lines).toHaveLength(3)
    expect(lines.every((line) => line.startsWith('C7: acknowledged'))).toBe(true)
  })

  it('reports what was refused and is there, before the answer or after it', () => {
    const wanted = held('a', webToDb, 'allow')
    const before = lawsOf()
    before.changed(5, 'a', wanted)
    before.answered('create', 5, { wanted, outcome: 'refused' })
    expect(before.lines.join()).toMatch(/^C7: refused, but stored all the same: create/)
    const after = lawsOf()
    after.answered('create', 5, { wanted, outcome: 'refused' })
    after.changed(7, 'a', wanted)
    expect(after.lines.join()).toMatch(/^C7: refused, but stored all the same: create/)
  })

  it('reports a refusal as the second of a pair that has none', () => {
    const { answered, lines } = lawsOf()
    answered('create', 5, { wanted: held('', webToDb, 'allow', 'x'), outcome: 'duplicate' })
    expect(lines.join()).toMatch(/^C7: refused as the second of its pair, although the pair had none/)
  })

  it('excuses what a restored snapshot put in the place of what was acknowledged meanwhile, and nothing later', () => {
    const { restored, answered, lines, counts } = lawsOf()
    restored(5, held('b', webToDb, 'deny'))
    answered('create', 4, { id: 'a', wanted: held('a', webToDb, 'allow') })
    expect([lines, counts()]).toEqual([[], ['C7 excused: restored 2', 'C7 1']])
    answered('create', 6, { id: 'a', wanted: held('a', webToDb, 'allow') })
    expect(lines).toHaveLength(1)
  })
})

describe('C8, decisions', () => {
  it('are by the intentions between question and answer, else by the default policy', () => {
    const { changed, asked, lines } = lawsOf()
    changed(5, 'a', held('a', webToDb, 'allow'))
    asked('check', webToDb, true, 6)
    asked('check', 'default/api => default/db', false, 6)
    expect(lines).toEqual([])
    asked('check', webToDb, false, 7)
    asked('check', 'default/api => default/db', true, 7)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^C8: check at s1 denies default\/web to connect to default\/db .* says allow$/)
  })

  it('of an agent may be by what was there shortly before', () => {
    const { changed, asked, lines } = lawsOf()
    changed(30, 'a', held('a', webToDb, 'allow'))
    changed(40, 'a')
    asked('authorize', webToDb, true, 41)
    expect(lines).toEqual([])
    asked('check', webToDb, true, 41)
    asked('authorize', webToDb, true, 43)
    expect(lines).toHaveLength(2)
  })

  it.each(['none', 20] as const)(
    'of an agent that was not in contact are excused, with contact since %s s',
    (contactS) => {
      const { asked, counts } = lawsOf(contactS)
      asked('authorize', webToDb, true, 54)
      expect(counts()).toEqual(['C8 excused: out of reach 1'])
    },
  )

  it('of an agent that is cut off are by what it knew at its last refresh, or by later changes', () => {
    const { changed, asked, contact, lines, counts } = lawsOf()
    changed(20, 'a', held('a', webToDb, 'allow'))
    asked('authorize', webToDb, true, 25)
    contact.sinceS = 'none'
    changed(30, 'a')
    asked('authorize', webToDb, true, 35)
    asked('authorize', webToDb, false, 35)
    changed(36, 'b', held('b', webToDb, 'deny'))
    asked('authorize', 'default/api => default/db', true, 37)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^C8: authorize at s1 allows default\/api/)
    // A server that had been cut off before may have given the agent an older state.
    contact.byAllUs = 22 * second
    asked('authorize', 'default/api => default/db', true, 37)
    contact.byAllUs = 37 * second
    // A server that has come back may have given the agent an older state.
    contact.changedUs = 38 * second
    asked('authorize', 'default/api => default/db', true, 39)
    expect([lines.length, counts()]).toEqual([1, ['C7 5', 'C8 4', 'C8 excused: out of reach 2']])
  })

  it('of an agent are by intentions that it calls no older than itself, in seconds of its own clock', () => {
    const { began, asked, lines } = lawsOf()
    for (const [beganS, atS, ageS] of [
      [0, 100, 106],
      [0, 100, 107],
      [60, 100, 42],
      [60, 100, 43],
      [60, 100, Number.NaN],
    ] as const) {
      began(beganS)
      asked('authorize', webToDb, false, atS, ageS)
    }
    expect(
      lines.map((line) => /with an age of (\S+) s, but the agent has run for (\S+) s/.exec(line)?.slice(1)),
    ).toEqual([
      ['107', '100.0'],
      ['43', '40.0'],
      ['NaN', '40.0'],
    ])
  })

  it('of an agent that is in contact again are excused for 15 seconds and as long as it was cut off', () => {
    const { changed, asked, contact, lines, counts } = lawsOf()
    changed(20, 'a', held('a', webToDb, 'allow'))
    asked('authorize', webToDb, true, 30)
    Object.assign(contact, { sinceS: 40, changedUs: 40 * second })
    changed(41, 'a')
    asked('authorize', webToDb, true, 64)
    expect([lines, counts()]).toEqual([[], ['C7 3', 'C8 1', 'C8 excused: out of reach 1']])
    asked('authorize', webToDb, true, 65)
    expect(lines).toHaveLength(1)
  })
})
