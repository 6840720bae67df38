import { describe, expect, it } from 'vitest'
import { bookMarkup } from '../../../sim/lessons/book.ts'
import { inputsMarkup, inputsOfBook, outdated } from '../../../sim/lessons/book-inputs.ts'
import { lineMarkup, readingMarkup } from '../../../sim/lessons/markup-of-reading.ts'
import { runDrawing, stepLines } from '../../../sim/lessons/run-drawing.ts'
import type { FilmOverview, MachineLane } from '../../../sim/picture/film-format.ts'
import { smallLesson } from './small-lesson.ts'

const lane = (name: string, kind: MachineLane['kind']): MachineLane => ({
  name,
  kind,
  lives: [
    [0, 'up'],
    [6_000_000, 'down'],
  ],
  roles: [
    [0, 'follower', 1],
    [2_000_000, 'leader', 2],
  ],
  progress: [],
  beliefs: [],
  clock: [],
  releases: [],
  density: [],
})

const film = {
  scenario: 'Small & simple',
  seed: 7,
  endUs: 10_000_000,
  machines: [lane('s1', 'server'), lane('driver', 'other')],
  story: [
    [0, 'step', 'the <first> step'],
    [5_000_000, 'fault', 'partition s1'],
    [5_100_000, 'note', 's1 no longer leads'],
    [9_000_000, 'step', 'the last step'],
  ],
  faults: [{ kind: 'cut', fromUs: 5_000_000, toUs: 8_000_000, machines: [0, 1], text: 's1 | others' }],
} as unknown as FilmOverview

describe('the picture of a run in the workbook', () => {
  const picture = runDrawing(film)

  it('has a lane for each agent, and none for what drives the run', () => {
    expect(picture).toContain('>s1</text>')
    expect(picture).not.toContain('driver')
  })

  it('is as strong while an agent leads as its time as a leader is long', () => {
    // 856 pixels for ten seconds: the leader from 2 s on.
    expect(picture).toMatch(/<rect x="215\.2" y="22" width="684\.8" [^>]*fill-opacity="0\.85"\/>/)
  })

  it('shows when no process runs, and when a link is cut', () => {
    expect(picture).toMatch(/<rect x="557\.6" [^>]*class="down"\/>/)
    expect(picture).toMatch(/<title>cut: s1 \| others<\/title><rect x="472" [^>]*width="256\.8" height="3"/)
  })

  it('numbers steps and faults as their list does', () => {
    expect(stepLines(film)).toEqual(['0.0 s: the <first> step', '5.0 s: fault: partition s1', '9.0 s: the last step'])
    expect(picture.match(/text-anchor="middle">\d+/g)).toEqual([1, 2, 3].map((n) => `text-anchor="middle">${n}`))
  })
})

describe('a reading as HTML', () => {
  it('has paragraphs, numbered lists and code, and escapes the rest', () => {
    expect(readingMarkup('One\nline.\n\n1. first\n2. `a<b>`\n')).toBe(
      '<p>One line.</p>\n<ol class="reading" start="1"><li>first</li><li><code>a&lt;b&gt;</code></li></ol>',
    )
    expect(lineMarkup('<script>')).toBe('&lt;script&gt;')
  })

  it('goes on counting where a list is interrupted', () => {
    expect(readingMarkup('3. third')).toContain('start="3"')
  })
})

describe('the workbook', () => {
  const chapters = [{ number: 1, lesson: smallLesson(), film }]

  it('gives students room to write, and no answers', () => {
    const book = bookMarkup(chapters, false)
    expect(book).toContain('The run: Small &amp; simple, seed 7')
    expect(book).toContain('<div class="write"></div>')
    // What is closed is not printed, and the numbers of the picture would be without their list.
    expect(book).not.toMatch(/<details(?! open)/)
    expect(book).not.toMatch(/Because\.|<b>b<\/b>|Replace/)
  })

  it('gives teachers the answer to each kind of task', () => {
    const book = bookMarkup(chapters, true)
    expect(book).not.toContain('class="write"')
    expect(book).toContain('<b>b</b>. Because.')
    expect(book).toContain('Replace <code>3</code> by <code>5</code>.')
    expect(book).toContain('<b>4</b>, for instance.')
    expect(book).toContain('<code>^sends to ${name}</code>')
  })

  it('gives teachers a page with times, aims, answers and projects', () => {
    const book = bookMarkup(chapters, true)
    expect(book).toContain('<td>1: b; 2: an edited page, see the lesson; 3: seed 4; 4: c and an event</td>')
    expect(book).toContain('<td>5 min</td><td><ul class="aims"><li>know something</li></ul></td>')
    expect(book).toContain('gives up after two requests')
  })

  it('gives students the projects, and not what their check looks for', () => {
    const book = bookMarkup(chapters, false)
    expect(book).toContain('svc-sim lesson project start 1 FOLDER')
    expect(book).not.toContain('gives up after two requests')
  })

  it('holds no script and no style of its own, which the policy of the page would refuse', () => {
    expect(bookMarkup(chapters, true)).not.toMatch(/<script|style=/)
  })
})

describe('the inputs of a workbook', () => {
  const made = { build: 'b1', lessons: { one: 'x', two: 'y' } }

  it('are found in the book again', () => {
    expect(inputsOfBook(`<body>${inputsMarkup(made)}<h1>…</h1></body>`)).toEqual(made)
    expect(inputsOfBook('<body></body>')).toBeUndefined()
    expect(inputsOfBook('<!-- svc-lessons {"build":1} -->')).toBeUndefined()
    expect(inputsOfBook('<!-- svc-lessons { -->')).toBeUndefined()
  })

  it('tell why a book is out of date', () => {
    expect(outdated(made, structuredClone(made))).toEqual([])
    expect(outdated(made, { build: 'b2', lessons: { one: 'x', two: 'z', three: 'w' } })).toEqual([
      'three: is new',
      'two: has changed',
      'the pictures were drawn by another build of the program',
    ])
    expect(outdated(made, { build: 'b1', lessons: { one: 'x' } })).toEqual(['two: there is no such lesson any more'])
  })
})
