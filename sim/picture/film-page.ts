import { base64, utf8 } from '../../src/base/bytes.ts'
import { escaped } from '../report/markup.ts'
import type { Film, FilmOptions } from './film.ts'

/**
 * A page of one file that shows a film: `template` is what the build made of `sim/page`. A browser reads the film as
 * data; the page's policy lets no script run but the template's own.
 */
export function filmPage(template: string, { overview, pieces }: Film, gzip: FilmOptions['gzip']): string {
  const packed = base64(gzip(utf8(JSON.stringify(overview))))
  const first = `<script type="text/plain" id="overview">${packed}</script>`
  const rest = pieces.map((piece) => `<script type="text/plain" class="piece">${piece}</script>`)
  const title = escaped(`${overview.scenario}, seed ${overview.seed}`)
  // Replacements are functions, because dollar signs in a text would be interpreted as patterns.
  return template
    .replace('<!-- title -->', () => title)
    .replace('<!-- film -->', () => first)
    .replace('<!-- pieces -->', () => rest.join('\n'))
}
