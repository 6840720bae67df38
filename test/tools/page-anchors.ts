/** The text of a page in Markdown without its blocks of code. */
export const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '')

/**
 * What a link to a page in Markdown may end in: the anchors that GitHub makes of its headings, and those written as `<a
 * id>`.
 */
export function anchorsOf(text: string): ReadonlySet<string> {
  const prose = withoutCode(text)
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-'),
  )
  return new Set([...headings, ...[...prose.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id)])
}
