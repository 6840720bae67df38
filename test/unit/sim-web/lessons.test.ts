import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { PlayLesson, PlayLessonList, PlayLessonTold } from '../../../sim/play/lessons-api.ts'
import type { TabBegin, TabLesson, TabRecording } from '../../../sim/play/tab-api.ts'
import { createTab } from '../../../sim/web/tab.ts'
import { webMachineOnNode } from '../../tools/web-platform.ts'

const page = `scenario: One server
cluster: { dc1: { servers: { count: 1 } } }
lasts: 3s
`

const lessonText = `lesson: One server
minutes: 5
aims: [find the leader]
reading: One server is a majority of itself.
predict: { question: Which server leads?, answer: s1 does. }
run: { page: one.yaml, seed: 1, look: s1 leads. }
tasks:
  - kind: choice
    task: How many are a majority of one?
    choices: { a: None., b: One., c: Two., d: Three. }
    right: b
    why: More than half of one is one.
  - kind: page
    task: Let it last four seconds.
    page: one.yaml
    may change: [lasts]
    seeds: 1..2
    why: It does.
    solution: [{ replace: 3s, by: 4s }]
  - kind: cause
    task: Why does it fail?
    bug: lesson-1
    page: one.yaml
    seed: 1
    choices: { a: Chance., b: A bug., c: A cut., d: A crash. }
    right: b
    why: It was planted.
    event: the event that shows it
    evidence: { violation: R1, says: granted }
read on: [a book]
`

const evidence = { n: 17, atUs: 1_000, node: 's1', words: 'vote granted' }
const recording: TabRecording = {
  text: 'FAILED',
  film: { overview: { events: 20, pieces: [] } as unknown as TabRecording['film']['overview'], pieces: ['packed'] },
  evidence: [evidence],
}
const lesson: TabLesson = {
  number: 1,
  name: '01-one',
  title: 'One server',
  minutes: 5,
  text: lessonText,
  run: { page: 'one.yaml', seed: 1 },
  pages: { 'one.yaml': page },
}
const begin: TabBegin = {
  does: 'lessons',
  lessons: [lesson],
  recordings: [{ lesson: '01-one', task: 3, packed: gzipSync(JSON.stringify(recording)).toString('base64') }],
}

/** A worker of a page, asked as the page asks it. */
async function desk(kept?: string) {
  const ended: string[] = []
  const tab = createTab({
    ...webMachineOnNode,
    build: 'b',
    wallMs: () => 0,
    after: () => ({ close: () => undefined }),
    onEnd: (words) => void ended.push(words),
  })
  const ask = async (method: 'GET' | 'POST', path: string, body: object = {}) => {
    const { status, text } = await tab.answer({
      id: 1,
      method,
      path,
      body: method === 'GET' ? '' : JSON.stringify(body),
    })
    return { status, text, value: JSON.parse(text) as unknown }
  }
  const begun = await ask('POST', 'begin', kept === undefined ? begin : { ...begin, kept })
  return { ask, begun, ended }
}

type Desk = Awaited<ReturnType<typeof desk>>

const check = async ({ ask }: Desk, answers: object, text = page) =>
  (await ask('POST', 'lesson/check', { name: '01-one', answers, pages: { 2: text } })).value as PlayLessonTold

it('has the lesson, shows its run after a prediction, and judges its tasks', async () => {
  const one = await desk()
  expect(((await one.ask('GET', 'lessons')).value as PlayLessonList).lessons).toEqual([
    { number: 1, name: '01-one', title: 'One server', minutes: 5, tasks: 3, right: 0 },
  ])
  const started = (await one.ask('POST', 'lesson/start', { name: '01-one' })).value as PlayLesson
  expect(started).toMatchObject({ question: 'Which server leads?', shown: null })
  expect(await one.ask('POST', 'lesson/run', { name: '01-one' })).toMatchObject({ status: 400 })
  const run = (await one.ask('POST', 'lesson/run', { name: '01-one', prediction: 's1' })).value as PlayLessonTold
  expect(run.text).toMatch(/passed/)
  expect(run.lesson.shown?.tasks.map(({ kind }) => kind)).toEqual(['choice', 'page', 'cause'])
  expect((await one.ask('GET', 'lesson/overview')).value).toMatchObject({ scenario: 'One server', seed: 1 })
  expect((await one.ask('GET', 'lesson/piece?at=0')).status).toBe(200)

  const wrong = await check(one, { 1: { line: 'a', event: '' }, 3: { line: 'b', event: '18' } })
  expect(wrong.text).toMatch(/1 {2}wrong .*\n.*2 {2}open .*\n.*3 {2}wrong +event 18 does not show it/)
  expect((await check(one, { 3: { line: 'b', event: '21' } })).text).toMatch(/the trace has no event 21/)
  expect((await check(one, {}, page.replace('lasts: 3s', 'lasts: 3s\nno such key: 1'))).text).toMatch(
    /2 {2}wrong .*unknown key/,
  )
  const right = { 1: { line: 'b', event: '' }, 3: { line: 'b', event: '17' } }
  const done = await check(one, right, page.replace('3s', '4s'))
  expect(done.text).toMatch(/3 of 3 tasks are right/)
  expect(done.lesson.shown?.readOn).toEqual(['a book'])
  expect(one.ended).toEqual([])
})

it('shows the recorded run of a planted program', async () => {
  const one = await desk()
  await one.ask('POST', 'lesson/run', { name: '01-one', prediction: 's1' })
  const told = (await one.ask('POST', 'lesson/run', { name: '01-one', task: 3 })).value as PlayLessonTold
  expect(told).toMatchObject({ text: 'FAILED', picture: expect.any(String) })
  expect((await one.ask('GET', 'lesson/piece?at=0')).value).toMatchObject({ packed: 'packed' })
})

it('goes on in another tab with what the first one kept', async () => {
  const one = await desk()
  await one.ask('POST', 'lesson/run', { name: '01-one', prediction: 'nobody' })
  await check(one, { 1: { line: 'b', event: '' } }, page.replace('3s', '5s'))
  const two = await desk((await one.ask('GET', 'lesson/kept')).text)
  const lesson = (await two.ask('POST', 'lesson/start', { name: '01-one' })).value as PlayLesson
  expect(lesson).toMatchObject({ prediction: 'nobody', right: 2 })
  expect(lesson.shown?.tasks[1]).toMatchObject({ page: { text: page.replace('3s', '5s') }, isRight: true })
})

it('says of kept work that it cannot be read, and of a lesson that it is not there', async () => {
  for (const kept of ['{', '{"version":2}', '{"version":1,"progress":"{}","answers":{},"pages":{}}']) {
    expect((await desk(kept)).begun).toMatchObject({
      status: 400,
      text: expect.stringMatching(/forget it on the start page/),
    })
  }
  const one = await desk()
  expect(await one.ask('POST', 'lesson/start', { name: 'other' })).toMatchObject({ status: 400 })
  expect(await one.ask('GET', 'lesson/none')).toMatchObject({ status: 404 })
})
