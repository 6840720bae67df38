import type { PlayOverview, PlayPiece } from '../../play/play-api.ts'
import { packedText } from '../document-film.ts'
import { type Channel, parsedAnswer } from '../play/channel.ts'

/**
 * The address of a page that shows the last run of a lesson. It is this page's own text with the film in place of the
 * simulator, because a page that a page makes inherits its policy, which allows no script but its own.
 */
export async function picturePage(channel: Channel, document: Document): Promise<string> {
  const overview = parsedAnswer<PlayOverview>(await channel('GET', 'lesson/overview', ''))
  if (!overview.ok) throw new Error(overview.error)
  const pieces: string[] = []
  for (const [at, { isGone }] of overview.value.pieces.entries()) {
    pieces.push(isGone === true ? '' : await packedPiece(channel, at))
  }
  const overviewText = await packedText(JSON.stringify(overview.value))
  const parts = [
    '<!doctype html><html lang="en"><head>',
    ...[...document.querySelectorAll('head > meta, head > style')].map(({ outerHTML }) => outerHTML),
    `<title>The last run of the lesson</title></head><body><div id="page"></div>`,
    `<script type="text/plain" id="overview">${overviewText}</script>`,
    document.querySelector('script[type=module]')?.outerHTML ?? '',
    ...pieces.map((piece) => `<script type="text/plain" class="piece">${piece}</script>`),
    '</body></html>',
  ]
  return URL.createObjectURL(new Blob(parts, { type: 'text/html' }))
}

async function packedPiece(channel: Channel, at: number): Promise<string> {
  const piece = parsedAnswer<PlayPiece>(await channel('GET', `lesson/piece?at=${at}`, ''))
  if (!piece.ok) throw new Error(piece.error)
  return 'packed' in piece.value ? piece.value.packed : packedText(JSON.stringify(piece.value.open))
}
