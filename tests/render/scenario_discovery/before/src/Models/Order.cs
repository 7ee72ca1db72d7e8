class Order { }
