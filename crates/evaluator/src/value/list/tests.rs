//! Tests of what a list records about its elements.

use super::*;

fn is_flat(list: &List) -> bool {
    list.iter().all(|value| value.is_flat())
}

/// Elements of a flat list are forgotten without being dropped, so `flat` must hold only if all elements are flat.
#[test]
fn a_list_is_flat_only_while_all_its_elements_are() {
    let long = Value::text("longer than seven bytes");
    let nested = Value::from(List::new(vec![Value::Nil]).expect("it is small"));
    for value in [long, nested] {
        let changes: [fn(&mut Rc<List>, Value); 7] = [
            |list, value| List::push(list, value).expect("it is small"),
            |list, value| List::set(list, 0, value).expect("it is small"),
            |list, value| List::extend(list, &List::new(vec![value]).expect("it is small")).expect("it is small"),
            |list, value| *List::get_mut(list, 1).expect("it is small").expect("an element") = value,
            |list, value| drop(List::replace(list, 0, value)),
            |list, value| List::insert(list, 1, value).expect("it is small"),
            |list, value| List::prepend(list, &List::new(vec![value]).expect("it is small")).expect("it is small"),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut list = Rc::new(List::new(vec![Value::Int(1), Value::Nil]).expect("it is small"));
            assert!(list.flat);
            change(&mut list, value.clone());
            assert!(!list.flat || is_flat(&list), "change {number} to {value}");
            assert!(!list.copied().expect("it is small").flat || is_flat(&list));
        }
    }
}

#[test]
fn what_is_replaced_is_let_go() {
    let mut list = Rc::new(List::empty());
    let long = Value::text("longer than seven bytes");
    let Value::Text(held) = &long else { panic!("it is a long text") };
    let held = held.clone();
    List::push(&mut list, long).expect("it is small");
    for value in [Value::Int(1), Value::Nil] {
        List::replace(&mut list, 0, value).expect("there is such an element");
    }
    assert_eq!(Rc::strong_count(&held), 1);
}
