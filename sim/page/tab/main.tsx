import { render } from 'preact'
import type { TabCluster, TabLesson } from '../../play/tab-api.ts'
import { unpackedText } from '../document-film.ts'
import type { Channel } from '../play/channel.ts'
import { showSession } from '../play/shown-session.tsx'
import { showFilm } from '../shown-film.tsx'
import { lessonsIn, withLessons } from './lessons.ts'
import { linkIn, type TabLink } from './link.ts'
import { showRun } from './run.tsx'
import { Start, type TabScenario } from './start.tsx'
import { begin, startWorker } from './worker.ts'

/** What lies in the page. */
interface Content {
  readonly scenarios: readonly TabScenario[]
  readonly lessons: readonly TabLesson[]
}

const ownCluster = (lesson: number): string => `this page with ?lesson=${lesson}`

const root = document.querySelector('#page')
if (root !== null) {
  // A page that this page has made, with the picture of a run: see `picture-page.ts`.
  if (document.querySelector('#overview') !== null) await showFilm(root)
  else await showTab(root)
}

async function showTab(place: Element): Promise<void> {
  // While scenarios are unpacked, and while a reader chooses one, the worker compiles the simulator.
  let ahead: Promise<Channel> | undefined = startWorker(document)
  const nextWorker = (): Promise<Channel> => {
    const next = ahead ?? startWorker(document)
    ahead = undefined
    return next
  }
  // `show` reports a failure; this only keeps the browser from calling it unhandled before that.
  ahead.catch(() => {})
  const packed = document.querySelector('#scenarios')?.textContent ?? ''
  const scenarios = JSON.parse(await unpackedText(packed)) as readonly TabScenario[]
  const content: Content = { scenarios, lessons: await lessonsIn(document) }
  const link = linkIn(location.search)
  const wanted = link === undefined ? undefined : beginOf(link, content)
  if (wanted === undefined || typeof wanted === 'string') showStart(place, nextWorker, content, wanted)
  else await show(place, nextWorker, content, wanted)
  performance.mark('first picture')
}

type NextWorker = () => Promise<Channel>

function showStart(place: Element, nextWorker: NextWorker, content: Content, problem: string | undefined): void {
  const onBegin = (what: TabCluster): void => {
    render(null, place)
    show(place, nextWorker, content, what).catch(reportError)
  }
  place.textContent = ''
  render(<Start {...{ ...content, problem, onBegin }} />, place)
}

async function show(place: Element, nextWorker: NextWorker, content: Content, what: TabCluster): Promise<void> {
  place.textContent = 'The simulator is loaded.'
  const { lessons } = content
  const channel = await nextWorker()
  const problem = await begin(channel, { ...what, hasLessons: lessons.length > 0 })
  if (problem !== undefined) {
    showStart(place, nextWorker, content, problem)
    return
  }
  place.textContent = ''
  if (what.does === 'run') await showRun(place, channel)
  else if (lessons.length === 0) showSession(place, channel, ownCluster)
  else showSession(place, withLessons(channel, lessons, document), ownCluster)
}

/** What the link asks for, or why it cannot be. */
function beginOf({ scenario: name, ...link }: TabLink, { scenarios, lessons }: Content): TabCluster | string {
  const { does, seed, steps, servers, clients } = link
  if (link.lesson !== undefined) return clusterOfLesson(link.lesson, lessons, steps)
  const found = scenarios.find((each) => each.name === name)
  if (name !== undefined && found === undefined) return `This page has no scenario '${name}'.`
  if (name === undefined && does === 'run') return 'A link to a run names its scenario: ?run=crash-and-recover'
  return {
    does,
    ...(found === undefined ? {} : { scenario: { file: found.file, text: found.text } }),
    ...(seed === undefined ? {} : { seed }),
    ...(steps === undefined ? {} : { steps }),
    ...(servers === undefined ? {} : { servers }),
    ...(clients === undefined ? {} : { clients }),
  }
}

function clusterOfLesson(named: string, lessons: readonly TabLesson[], steps: number | undefined): TabCluster | string {
  const lesson = lessons.find(({ number, name }) => String(number) === named || name === named)
  if (lesson === undefined) return `This page has no lesson '${named}'.`
  const { name, run, pages } = lesson
  const scenario = { file: run.page, text: pages[run.page] ?? '' }
  return { does: 'play', scenario, seed: run.seed, lesson: name, ...(steps === undefined ? {} : { steps }) }
}
