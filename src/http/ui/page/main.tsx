import { render } from 'preact'
import { productOf } from './api/product.ts'
import { hashOf, placeOfOtherAddress } from './place/place.ts'
import { App } from './shell/app.tsx'
import { keepCaller, keptCaller } from './shell/session-store.ts'

const script = document.currentScript
const root = document.querySelector('#page')
if (root !== null && script instanceof HTMLScriptElement) {
  const product = productOf(document.documentElement, script.src)
  const below = location.href.replace(/[?#].*$/, '').slice(product.pageRoot.length)
  const other = placeOfOtherAddress(below)
  if (other !== undefined) keepCaller({ ...keptCaller(), datacenter: other.datacenter })
  if (below !== '') history.replaceState(null, '', product.pageRoot + (other ? hashOf(other.place) : location.hash))
  root.textContent = ''
  render(<App product={product} />, root)
  // Benchmarks read this mark: the frame has been drawn.
  requestAnimationFrame(() => performance.mark('first picture'))
}
