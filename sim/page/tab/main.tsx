import { render } from 'preact'
import type { TabBegin } from '../../play/tab-api.ts'
import { unpackedText } from '../document-film.ts'
import { showSession } from '../play/shown-session.tsx'
import { linkIn, type TabLink } from './link.ts'
import { showRun } from './run.tsx'
import { Start, type TabScenario } from './start.tsx'
import { begin, startWorker } from './worker.ts'

const root = document.querySelector('#page')
if (root !== null) {
  const scenarios = JSON.parse(
    await unpackedText(document.querySelector('#scenarios')?.textContent ?? ''),
  ) as readonly TabScenario[]
  const link = linkIn(location.search)
  const wanted = link === undefined ? undefined : beginOf(link, scenarios)
  if (wanted === undefined || typeof wanted === 'string') showStart(root, scenarios, wanted)
  else await show(root, scenarios, wanted)
  performance.mark('first picture')
}

function showStart(place: Element, scenarios: readonly TabScenario[], problem: string | undefined): void {
  const onBegin = (what: TabBegin): void => {
    render(null, place)
    show(place, scenarios, what).catch(reportError)
  }
  place.textContent = ''
  render(<Start {...{ scenarios, problem, onBegin }} />, place)
}

async function show(place: Element, scenarios: readonly TabScenario[], what: TabBegin): Promise<void> {
  place.textContent = 'The simulator is loaded.'
  const channel = await startWorker(document)
  const problem = await begin(channel, what)
  if (problem !== undefined) {
    showStart(place, scenarios, problem)
    return
  }
  place.textContent = ''
  if (what.does === 'run') await showRun(place, channel)
  else showSession(place, channel)
}

/** What the link asks for, or why it cannot be. */
function beginOf({ scenario: name, ...link }: TabLink, scenarios: readonly TabScenario[]): TabBegin | string {
  const { does, seed, steps, servers, clients } = link
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
