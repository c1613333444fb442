import { Component, type ComponentChildren, type ComponentType } from "preact";

/**
 * Returns a component that renders again only if one of its props or its hook state changes. Adds no wrapper component,
 * because a long transcript has thousands of components.
 */
export function memo<Props extends object>(
  render: (props: Props) => ComponentChildren,
): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isShallowEqual(this.props, next);
    }
    override render(): ComponentChildren {
      return render(this.props);
    }
  };
}

function isShallowEqual(a: object, b: object): boolean {
  const keys = Object.keys(b);
  if (keys.length !== Object.keys(a).length) return false;
  return keys.every((key) => Object.is(Reflect.get(a, key), Reflect.get(b, key)));
}
