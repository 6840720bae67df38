import { render } from 'preact'
import { App } from './app.tsx'
import { FilmSource } from './film-source.ts'

const root = document.querySelector('#page')
if (root !== null) {
  let opened = 0
  const source = await FilmSource.of(document, () => {
    opened++
    draw()
  })
  const draw = (): void => render(<App source={source} opened={opened} />, root)
  root.textContent = ''
  draw()
  // For those who measure: everything that is needed for the first picture has been drawn.
  requestAnimationFrame(() => performance.mark('first picture'))
}
