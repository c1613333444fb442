import { Component, type ComponentChildren, createElement, type FunctionComponent } from "preact";

/** Returns a component that renders again only if its props differ. Compares each prop by identity by default. */
export function memo<Props extends object>(
  render: FunctionComponent<Props>,
  isSame: (a: Props, b: Props) => boolean = isShallowEqual,
): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next);
    }
    override render(): ComponentChildren {
      return createElement(render, this.props);
    }
  }
  return (props) => createElement(Memo, props);
}

function isShallowEqual(a: object, b: object): boolean {
  const keys = Object.keys(b);
  if (keys.length !== Object.keys(a).length) return false;
  return keys.every((key) => Object.is(Reflect.get(a, key), Reflect.get(b, key)));
}
