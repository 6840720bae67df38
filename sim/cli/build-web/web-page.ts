import { base64, utf8 } from '../../../src/base/bytes.ts'
import type { SimTerminal } from '../terminal.ts'

/** A scenario as the page has it: `TabScenario` of `sim/page/tab`. */
export interface PageScenario {
  readonly name: string
  readonly file: string
  readonly title: string
  readonly about: string
  readonly text: string
}

/** Stands in the first line of every page that this command makes, so that it replaces no other file. */
export const pageMark = '<!-- made by svc-sim build-web -->'

const title = 'A cluster in this tab: svc-sim'

/** The page with the simulator and the scenarios packed in it. */
export function webPage(
  template: string,
  script: string,
  scenarios: readonly PageScenario[],
  gzip: SimTerminal['gzip'],
): string {
  const packed = (id: string, text: string): string =>
    `<script type="text/plain" id="${id}">${base64(gzip(utf8(text)))}</script>`
  const data = `${packed('simulator', script)}\n${packed('scenarios', JSON.stringify(scenarios))}`
  return template
    .replace('<!doctype html>', () => `<!doctype html>${pageMark}`)
    .replace('<!-- title -->', () => title)
    .replace('<!-- film -->', () => data)
}
