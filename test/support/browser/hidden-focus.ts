/**
 * Returns the HTML of the focused element if the focus is not visible on it, else `undefined`. Runs in the page and
 * requires scripts.
 */
export function hiddenFocus(): string | undefined {
  const { activeElement: focused } = document
  if (focused === null || focused === document.body) return undefined
  // A radio button that is styled through its label shows the focus on the label.
  const [label] = (focused as HTMLInputElement).labels ?? []
  const drawn = [focused, ...(label === undefined ? [] : [label])].find((element) => {
    const style = getComputedStyle(element)
    return style.opacity !== '0' && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2
  })
  const { top, bottom, left, right } = (drawn ?? focused).getBoundingClientRect()
  const inView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && bottom > top && right > left
  if (drawn !== undefined && inView) return undefined
  return (focused as HTMLElement).outerHTML.slice(0, 200)
}
