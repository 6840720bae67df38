import { base64, utf8 } from '../../../src/base/bytes.ts'
import type { SimTerminal } from '../terminal.ts'
import type { PageLessons } from './lessons.ts'

/** A scenario as the page has it: `TabScenario` of `sim/page/tab`. */
export interface PageScenario {
  readonly name: string
  readonly file: string
  readonly title: string
  readonly about: string
  readonly text: string
}

export interface PageContent extends PageLessons {
  readonly scenarios: readonly PageScenario[]
}

/** Stands in the first line of every page that this command makes, so that it replaces no other file. */
export const pageMark = '<!-- made by svc-sim build-web -->'

const title = 'A cluster in this tab: svc-sim'

/** The page with the simulator, the scenarios and the lessons packed in it. */
export function webPage(
  template: string,
  script: string,
  { scenarios, lessons, recordings }: PageContent,
  gzip: SimTerminal['gzip'],
): string {
  const packed = (id: string, text: string): string =>
    `<script type="text/plain" id="${id}">${base64(gzip(utf8(text)))}</script>`
  const data = [
    packed('simulator', script),
    packed('scenarios', JSON.stringify(scenarios)),
    ...(lessons.length === 0 ? [] : [packed('lessons', JSON.stringify(lessons))]),
    ...recordings.map(
      ({ lesson, task, packed: text }) =>
        `<script type="text/plain" class="recording" data-lesson="${lesson}" data-task="${task}">${text}</script>`,
    ),
  ].join('\n')
  return template
    .replace('<!doctype html>', () => `<!doctype html>${pageMark}`)
    .replace('<!-- title -->', () => title)
    .replace('<!-- film -->', () => data)
}
