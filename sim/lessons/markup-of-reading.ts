import { escaped } from '../report/markup.ts'

/**
 * Converts the text of a lesson to HTML: paragraphs and numbered lists, with `code` within them. Consecutive lines form
 * one paragraph, as in Markdown.
 */
export function readingMarkup(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map(blockMarkup)
    .join('\n')
}

/** One line of text with `code` in it. */
export function lineMarkup(text: string): string {
  return escaped(text.trim().replace(/\s*\n\s*/g, ' ')).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function blockMarkup(block: string): string {
  const items = block.split(/(?:^|\n)\d+\. /)
  if (items.length === 1) return `<p>${lineMarkup(block)}</p>`
  const [lead = '', ...rest] = items
  const start = /(?:^|\n)(\d+)\. /.exec(block)?.[1] ?? '1'
  const list = `<ol class="reading" start="${start}">${rest.map((item) => `<li>${lineMarkup(item)}</li>`).join('')}</ol>`
  return lead.trim() === '' ? list : `<p>${lineMarkup(lead)}</p>\n${list}`
}
