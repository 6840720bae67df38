import type { StillPage } from '../report/still-page.ts'
import { type Drawing, escaped, svgDocument } from './drawing.ts'

/** What a study has found: its plots, and below them the lines that it printed. */
export function studyPage(drawing: Drawing, lines: readonly string[]): StillPage {
  const body = [
    `<h1>${escaped(drawing.description)}</h1>`,
    `<div class="picture plots" tabindex="0">${svgDocument(drawing)}</div>`,
    '<h2>The table</h2>',
    `<pre tabindex="0">${escaped(lines.join('\n'))}</pre>`,
  ]
  return { title: drawing.description, body: body.join('\n') }
}
